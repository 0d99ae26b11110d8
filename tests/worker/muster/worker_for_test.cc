// A worker process for tests: joins as the environment says and sums on every group again and
// again.
//
//   worker_for_test ROUNDS ELEMENTS
//
// Prints one line: "done" after ROUNDS rounds, and stays a member until its input ends, else
// "<what> <CODE> <kind> ranks=... workers=...".

#include <signal.h>
#include <sys/prctl.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"
#include "worker/muster/join.h"

namespace muster {
namespace {

int Say(const char* what, const absl::Status& status, int code) {
  const ErrorDetail detail = DetailOf(status).value_or(ErrorDetail());
  const std::string kind(KindName(detail.kind));
  std::vector<int32_t> ranks;
  for (const GlobalRank rank : detail.ranks) ranks.push_back(rank.value);
  std::printf("%s %s %s ranks=%s workers=%s\n", what,
              absl::StatusCodeToString(status.code()).c_str(), kind.c_str(),
              absl::StrJoin(ranks, ",").c_str(), absl::StrJoin(detail.workers, ",").c_str());
  std::fflush(stdout);
  return code;
}

absl::Status SumOnEveryGroup(Context& context, size_t elements) {
  for (const auto& group : context.Groups()) {
    std::vector<float> values(elements, static_cast<float>(context.rank().value + 1));
    float wanted = 0;
    for (const GlobalRank rank : group->ranks()) wanted += static_cast<float>(rank.value + 1);
    absl::Status status =
        group->AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum)->Wait();
    if (!status.ok()) return status;
    if (values != std::vector<float>(elements, wanted)) return absl::DataLossError("a wrong sum");
  }
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& args) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int64_t rounds = 0;
  uint64_t elements = 0;
  if (args.size() != 2 || !absl::SimpleAtoi(args[0], &rounds) ||
      !absl::SimpleAtoi(args[1], &elements)) {
    return 2;
  }
  const auto options = JoinOptions::FromEnvironment();
  if (!options.ok()) return Say("options", options.status(), 2);
  const auto context = Join(*options);
  if (!context.ok()) return Say("join", context.status(), 3);
  for (int64_t round = 0; round < rounds; ++round) {
    const absl::Status status = SumOnEveryGroup(**context, elements);
    if (!status.ok()) return Say("all_reduce", status, 4);
  }
  std::printf("done\n");
  std::fflush(stdout);
  (void)std::getchar();
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  return muster::Main(std::vector<std::string>(argv + 1, argv + argc));
}
