#include "bench/bench_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

extern char** environ;

namespace muster {
namespace {

constexpr char kSelf[] = "/proc/self/exe";

std::vector<std::string> EnvironmentOf(const JoinOptions& options) {
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) words.emplace_back(*word);
  words.push_back(absl::StrCat("MUSTER_COORDINATOR=", options.coordinator));
  words.push_back(absl::StrCat("MUSTER_JOB=", options.job));
  words.push_back(absl::StrCat("MUSTER_WORKER_ID=", options.worker));
  if (options.wanted_rank.has_value()) {
    words.push_back(absl::StrCat("MUSTER_WANTED_RANK=", options.wanted_rank->value));
  }
  return words;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int64_t NanosOf(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

BenchWorker::BenchWorker(const JoinOptions& options, const std::string& argument) {
  std::array<int, 2> input = {};
  std::array<int, 2> output = {};
  MUSTER_CHECK(pipe2(input.data(), O_CLOEXEC) == 0, "no pipe");
  MUSTER_CHECK(pipe2(output.data(), O_CLOEXEC) == 0, "no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::vector<std::string> words = {kSelf, kBenchWorkerArgument, argument};
  std::vector<std::string> variables = EnvironmentOf(options);
  const int failed = posix_spawn(&pid_, kSelf, &actions, nullptr, Pointers(words).data(),
                                 Pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  MUSTER_CHECK(failed == 0, "cannot start this program again");
  close(input[0]);
  close(output[1]);
  in_ = fdopen(input[1], "w");
  out_ = fdopen(output[0], "r");
}

BenchWorker::~BenchWorker() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  std::fclose(in_);
  std::fclose(out_);
}

void BenchWorker::Tell(const std::string& line) {
  std::fputs(absl::StrCat(line, "\n").c_str(), in_);
  std::fflush(in_);
}

std::string BenchWorker::Line() {
  std::array<char, 1024> bytes = {};
  MUSTER_CHECK(std::fgets(bytes.data(), bytes.size(), out_) != nullptr, "a worker ended early");
  return bytes.data();
}

void SayLine(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

bool AwaitLine() {
  std::array<char, 1024> bytes = {};
  return std::fgets(bytes.data(), bytes.size(), stdin) != nullptr;
}

int64_t MonotonicNanos() { return NanosOf(CLOCK_MONOTONIC); }
int64_t CpuNanos() { return NanosOf(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace muster
