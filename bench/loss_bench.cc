// How long the members of a job wait for the end of their calls when one of them is killed, or is
// stopped, in the middle of a collective. The processes are real; nobody but the coordinator and
// the members' own connections tells who is gone.
//
// usage: loss_bench [KILLS [STOPS]]   default 10 and 3 of each size

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/bench_worker.h"
#include "common/base/check.h"
#include "common/base/error_detail.h"
#include "common/session/deadlines.h"
#include "common/support/log.h"
#include "tests/testing/job_bed.h"

namespace muster {
namespace {

constexpr size_t kElements = size_t{1} << 20U;  // Of float32 in each all_reduce.
constexpr int kVictim = 1;

// Sums until that fails, and says when and how it failed: "<nanoseconds> <kind> <ranks>".
int RunWorker() {
  const auto options = JoinOptions::FromEnvironment();
  MUSTER_CHECK(options.ok(), options.status().ToString());
  const auto context = Join(*options);
  MUSTER_CHECK(context.ok(), context.status().ToString());
  const auto world = (*context)->Group("world");
  MUSTER_CHECK(world.ok(), world.status().ToString());
  std::vector<float> values(kElements);
  absl::Status status;
  for (int round = 0; status.ok(); ++round) {
    status = (*world)->AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum)->Wait();
    if (status.ok() && round == 2) SayLine("working");
  }
  const int64_t ended = MonotonicNanos();
  const ErrorDetail detail = DetailOf(status).value_or(ErrorDetail());
  const int32_t named = detail.ranks.size() == 1 ? detail.ranks[0].value : -1;
  SayLine(absl::StrCat(ended, " ", std::string(KindName(detail.kind)), " ", named));
  AwaitLine();
  return 0;
}

// The seconds from the signal to the end of each survivor's call.
std::vector<double> RunOnce(int world, int number, absl::Duration recovery) {
  JobBed bed;
  const absl::Status applied = bed.Apply(JobBed::Spec(world, 2, recovery));
  MUSTER_CHECK(applied.ok(), applied.ToString());
  std::vector<std::unique_ptr<BenchWorker>> workers;
  for (int i = 0; i < world; ++i) {
    JoinOptions options = bed.OptionsOf(i);
    options.wanted_rank = GlobalRank(i);
    workers.push_back(std::make_unique<BenchWorker>(options, "loss"));
  }
  for (const auto& worker : workers) (void)worker->Line();
  const int64_t struck = MonotonicNanos();
  kill(workers[kVictim]->pid(), number);
  std::vector<double> seconds;
  for (int i = 0; i < world; ++i) {
    if (i == kVictim) continue;
    const std::vector<std::string> words =
        absl::StrSplit(workers[static_cast<size_t>(i)]->Line(), ' ');
    int64_t ended = 0;
    MUSTER_CHECK(words.size() == 3 && absl::SimpleAtoi(words[0], &ended), "not a worker's line");
    MUSTER_CHECK(words[1] == "member_lost" && std::atoi(words[2].c_str()) == kVictim,
                 absl::StrCat("a survivor was told '", words[1], " ", words[2], "'"));
    seconds.push_back(static_cast<double>(ended - struck) * 1e-9);
  }
  return seconds;
}

void Measure(const char* what, int number, absl::Duration recovery, int rounds) {
  for (const int world : {4, 8}) {
    std::vector<double> all;
    for (int round = 0; round < rounds; ++round) {
      const std::vector<double> seconds = RunOnce(world, number, recovery);
      all.insert(all.end(), seconds.begin(), seconds.end());
    }
    std::sort(all.begin(), all.end());
    std::printf("%-8s %7d %8d %10s %10s %9.3f s %9.3f s\n", what, world, rounds,
                absl::FormatDuration(recovery).c_str(),
                absl::FormatDuration(DeriveDeadlines(recovery)->lease).c_str(), all[all.size() / 2],
                all.back());
    std::fflush(stdout);
  }
}

int Main(int kills, int stops) {
  std::printf("%-8s %7s %8s %10s %10s %11s %11s\n", "signal", "workers", "rounds", "recovery",
              "lease", "median", "maximum");
  Measure("SIGKILL", SIGKILL, absl::Seconds(30), kills);
  Measure("SIGSTOP", SIGSTOP, absl::Seconds(6), stops);
  std::printf(
      "from the signal to the end of each survivor's all_reduce of 4 MiB; all named rank %d\n"
      "a killed process resets its connections; a stopped one is noticed by its silence, after the "
      "lease\n",
      kVictim);
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::SetLogLevel(muster::LogLevel::kError);
  if (argc > 1 && std::string(argv[1]) == muster::kBenchWorkerArgument) return muster::RunWorker();
  return muster::Main(argc > 1 ? std::atoi(argv[1]) : 10, argc > 2 ? std::atoi(argv[2]) : 3);
}
