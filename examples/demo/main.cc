// One worker of `./dev demo`: joins, checks every group that it is in, computes attention over the
// mesh, and leaves. Rank 0 adds up what all have found.
//
// usage: demo_worker [--sabotage flip-byte@rankR|skip-exchange@rankR] [--qkv FOLDER]

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "examples/demo/group_checks.h"
#include "examples/ulysses_attention/parallel_attention.h"
#include "worker/muster/join.h"

namespace muster::examples {
namespace {

constexpr double kDifferenceMax = 1e-5;

struct Flags {
  std::string sabotage;  // The kind; empty: none.
  int32_t sabotage_rank = -1;
  std::string folder;
};

bool ParseFlags(int argc, char** argv, Flags& flags) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--qkv") {
      flags.folder = value;
      continue;
    }
    const size_t at = value.find("@rank");
    const bool known =
        absl::StartsWith(value, "flip-byte@") || absl::StartsWith(value, "skip-exchange@");
    if (name != "--sabotage" || at == std::string::npos || !known ||
        !absl::SimpleAtoi(value.substr(at + 5), &flags.sabotage_rank)) {
      return false;
    }
    flags.sabotage = value.substr(0, at);
  }
  return argc % 2 == 1;
}

struct Totals {
  int64_t checks = 0;
  int64_t failures = 0;
  int64_t groups = 0;  // Counted by their first members.
};

std::string Members(const GroupHandle& group) {
  return absl::StrJoin(group.ranks(), ",",
                       [](std::string* out, GlobalRank rank) { absl::StrAppend(out, rank.value); });
}

void CheckGroups(Context& context, const Flags& flags, Totals& totals) {
  const bool saboteur = context.rank().value == flags.sabotage_rank;
  bool flip = saboteur && flags.sabotage == "flip-byte";
  for (const std::shared_ptr<GroupHandle>& group : context.Groups()) {
    if (group->size() < 2) continue;
    const GroupReport report = CheckGroup(*group, flip);
    flip = false;
    totals.checks += report.checks;
    totals.failures += static_cast<int64_t>(report.failures.size());
    for (const std::string& failure : report.failures) std::printf("FAILED %s\n", failure.c_str());
    if (group->rank().value != 0) continue;
    ++totals.groups;
    std::printf("group %-18s ranks %-20s backend gloo  checks %d  %.1f ms\n", group->name().c_str(),
                Members(*group).c_str(), report.checks, absl::ToDoubleMilliseconds(report.took));
  }
}

void CheckResult(Context& context, const Flags& flags, Totals& totals) {
  AttentionOptions options;
  options.folder = flags.folder;
  options.skip_exchange =
      context.rank().value == flags.sabotage_rank && flags.sabotage == "skip-exchange";
  absl::StatusOr<AttentionCheck> check = CheckAttention(context, options);
  if (options.skip_exchange && check.ok() && check->ulysses == 1) {
    check = absl::InvalidArgumentError("the mesh has no exchange that could be skipped");
  }
  ++totals.checks;
  if (check.ok() && check->difference <= kDifferenceMax) {
    std::printf("attention rank %d  batch %d ring %d ulysses %d tp %d  difference %.1e\n",
                context.rank().value, check->batch, check->ring, check->ulysses, check->tensor,
                check->difference);
    return;
  }
  ++totals.failures;
  const std::string why =
      check.ok() ? absl::StrCat("differs by ", check->difference, " from one process, at most ",
                                kDifferenceMax, " is allowed")
                 : std::string(check.status().message());
  std::printf("FAILED attention at rank %d: %s\n", context.rank().value, why.c_str());
}

// Adds up the totals of all ranks; a job of one has nobody to ask.
absl::Status AddUp(Context& context, Totals& totals) {
  if (context.world_size() == 1) return absl::OkStatus();
  const absl::StatusOr<std::shared_ptr<GroupHandle>> world = context.Group("world");
  if (!world.ok()) return world.status();
  const std::vector<int64_t> mine = {totals.checks, totals.failures, totals.groups};
  std::vector<int64_t> sums(mine.size());
  absl::Status status = (*world)->AllReduce(BufferOf(mine), BufferOf(sums), ReduceOp::kSum)->Wait();
  if (status.ok()) totals = Totals{sums[0], sums[1], sums[2]};
  return status;
}

// Keeps everyone until all have finished: who leaves ends the epoch for those who still work in it.
// Rank 0 hears from all; the others stay until it has left.
void FinishTogether(Context& context) {
  const absl::StatusOr<std::shared_ptr<GroupHandle>> world = context.Group("world");
  if (context.world_size() == 1 || !world.ok()) return;
  std::vector<int64_t> token = {context.rank().value};
  if (context.rank().value == 0) {
    for (int32_t rank = 1; rank < context.world_size(); ++rank) {
      (void)(*world)->Recv(BufferOf(token), GroupRank(rank))->Wait();
    }
    return;
  }
  (void)(*world)->Send(BufferOf(token), GroupRank(0))->Wait();
  (void)(*world)->Recv(BufferOf(token), GroupRank(0))->Wait();  // Ends when rank 0 leaves.
}

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return code;
}

int Main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);  // A line that is out is not lost when the job is ended.
  Flags flags;
  if (!ParseFlags(argc, argv, flags)) {
    std::fprintf(stderr,
                 "usage: demo_worker [--sabotage flip-byte@rankR|skip-exchange@rankR]"
                 " [--qkv FOLDER]\n");
    return 2;
  }
  const absl::StatusOr<JoinOptions> options = JoinOptions::FromEnvironment();
  if (!options.ok()) return Fail(options.status(), 13);
  absl::StatusOr<std::unique_ptr<Context>> context = Join(*options);
  if (!context.ok()) return Fail(context.status(), 12);

  std::printf("rank %d of %d is worker %s on %s, epoch %lld\n", (*context)->rank().value,
              (*context)->world_size(), (*context)->worker().c_str(),
              (*context)->host().hostname.c_str(),
              static_cast<long long>((*context)->epoch().value));
  Totals totals;
  CheckGroups(**context, flags, totals);
  CheckResult(**context, flags, totals);
  const absl::Status added = AddUp(**context, totals);
  if (!added.ok()) return Fail(added, 1);
  FinishTogether(**context);
  const bool ok = totals.failures == 0;
  if ((*context)->rank().value == 0) {
    std::printf("demo: %s %d workers, %lld groups, %lld checks, %lld failed\n",
                ok ? "OK" : "FAILED", (*context)->world_size(),
                static_cast<long long>(totals.groups), static_cast<long long>(totals.checks),
                static_cast<long long>(totals.failures));
  }
  (*context)->Leave();
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace muster::examples

int main(int argc, char** argv) { return muster::examples::Main(argc, argv); }
