// A worker that is killed, stopped or ends by itself at each named point, with real processes.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/muster/job_bed.h"
#include "tests/worker/muster/worker_process.h"

namespace muster {
namespace {

constexpr int kWorld = 3;
constexpr int kVictim = 1;

class FaultTest : public testing::TestWithParam<std::string> {
 protected:
  // Starts the workers of a job; the victim meets `fault`.
  void Start(const std::string& fault, int64_t rounds, uint64_t elements) {
    workers_.clear();
    bed_ = std::make_unique<JobBed>();
    ASSERT_THAT(bed_->Apply(JobBed::Spec(kWorld, 1, /*recovery=*/absl::Seconds(6))), IsOk());
    for (int i = 0; i < kWorld; ++i) {
      workers_[i] =
          Worker(i, i == kVictim ? absl::StrCat(fault, "#", kVictim) : "", rounds, elements);
    }
  }

  std::unique_ptr<WorkerProcess> Worker(int n, const std::string& fault, int64_t rounds,
                                        uint64_t elements) {
    WorkerProcess::Options options{bed_->OptionsOf(n), fault, rounds, elements};
    options.join.wanted_rank = GlobalRank(n);
    return std::make_unique<WorkerProcess>(options);
  }

  std::unique_ptr<JobBed> bed_;
  std::map<int, std::unique_ptr<WorkerProcess>> workers_;
};

// The others form the job with a process that takes the victim's place.
TEST_P(FaultTest, BeforeTheJobStandsAReplacementIsAwaited) {
  for (const char* step :
       {"registered", "layout_received", "endpoints_sent", "connecting", "built"}) {
    SCOPED_TRACE(step);
    Start(absl::StrCat(GetParam(), "@", step), /*rounds=*/3, /*elements=*/100);
    ASSERT_TRUE(workers_[kVictim]->IsStruck());
    const auto replacement = Worker(kVictim, "", 3, 100);
    EXPECT_EQ(workers_[0]->Output(), "done");
    EXPECT_EQ(workers_[2]->Output(), "done");
    EXPECT_EQ(replacement->Output(), "done");
  }
}

TEST_P(FaultTest, InACollectiveTheOthersAreToldWhoIsGone) {
  Start(absl::StrCat(GetParam(), "@in_collective"), /*rounds=*/1000000, /*elements=*/16 << 20);
  const std::string told = "all_reduce UNAVAILABLE member_lost ranks=1 workers=w1";
  EXPECT_EQ(workers_[0]->Output(), told);
  EXPECT_EQ(workers_[2]->Output(), told);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultTest, testing::Values("kill", "exit", "stop"),
                         [](const auto& kind) { return kind.param; });

TEST_F(FaultTest, AnErrorInACollectiveIsTheVictimsOwn) {
  Start("error@in_collective", /*rounds=*/1, /*elements=*/1000);
  EXPECT_THAT(workers_[kVictim]->Output(), testing::StartsWith("all_reduce INTERNAL"));
}

}  // namespace
}  // namespace muster
