#include "tests/worker/muster/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "tests/testing/comm_world.h"

extern char** environ;

namespace muster {
namespace {

std::vector<std::string> EnvironmentOf(const WorkerProcess::Options& options) {
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) words.emplace_back(*word);
  words.push_back(absl::StrCat("MUSTER_COORDINATOR=", options.join.coordinator));
  words.push_back(absl::StrCat("MUSTER_JOB=", options.join.job));
  words.push_back(absl::StrCat("MUSTER_WORKER_ID=", options.join.worker));
  words.push_back(
      absl::StrCat("MUSTER_JOIN_DEADLINE=", absl::FormatDuration(options.join.join_deadline)));
  if (options.join.wanted_rank.has_value()) {
    words.push_back(absl::StrCat("MUSTER_WANTED_RANK=", options.join.wanted_rank->value));
  }
  if (!options.fault.empty()) words.push_back(absl::StrCat("MUSTER_TEST_FAULT=", options.fault));
  return words;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

WorkerProcess::WorkerProcess(const Options& options) {
  std::array<int, 2> input = {};
  std::array<int, 2> output = {};
  MUSTER_CHECK(pipe2(input.data(), O_CLOEXEC) == 0, "no pipe");
  MUSTER_CHECK(pipe2(output.data(), O_CLOEXEC | O_NONBLOCK) == 0, "no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::vector<std::string> words = {MUSTER_WORKER_FOR_TEST, absl::StrCat(options.rounds),
                                    absl::StrCat(options.elements)};
  std::vector<std::string> variables = EnvironmentOf(options);
  const int failed = posix_spawn(&pid_, MUSTER_WORKER_FOR_TEST, &actions, nullptr,
                                 Pointers(words).data(), Pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  MUSTER_CHECK(failed == 0, "cannot start " MUSTER_WORKER_FOR_TEST);
  close(input[0]);
  close(output[1]);
  in_ = input[1];
  out_ = output[0];
}

WorkerProcess::~WorkerProcess() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(in_);
  close(out_);
}

bool WorkerProcess::Poll() {
  int status = 0;
  if (ended_ || waitpid(pid_, &status, WNOHANG | WUNTRACED) != pid_) return ended_;
  ended_ = WIFEXITED(status) || WIFSIGNALED(status);
  stopped_ = WIFSTOPPED(status);
  if (WIFSIGNALED(status)) signal_ = WTERMSIG(status);
  return ended_;
}

bool WorkerProcess::IsStruck() {
  return Eventually([this] { return Poll() || stopped_; });
}

void WorkerProcess::Read() {
  std::array<char, 4096> bytes = {};
  const ssize_t size = read(out_, bytes.data(), bytes.size());
  if (size > 0) text_.append(bytes.data(), static_cast<size_t>(size));
}

std::string WorkerProcess::Output() {
  const bool came = Eventually([this] {
    const bool ended = Poll();
    Read();
    return ended || absl::EndsWith(text_, "\n");
  });
  if (!came) return "still running";
  if (text_.empty() && signal_ != 0) return absl::StrCat("signal ", signal_);
  return std::string(absl::StripAsciiWhitespace(text_));
}

}  // namespace muster
