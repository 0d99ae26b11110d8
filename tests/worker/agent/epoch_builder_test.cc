#include "worker/agent/epoch_builder.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/error_detail.h"
#include "gtest/gtest.h"
#include "tests/testing/signal.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/agent/event_log.h"
#include "worker/agent/registry.h"
#include "worker/agent/solo_communicator.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(20);

// What a FakeBackend made and what happened to it. Outlives it.
struct Journal {
  Signal building;             // Build() runs.
  Signal abort;                // Abort() was called.
  bool build_blocks = false;   // Until the abort.
  std::vector<GroupId> freed;  // Communicators, in the order of their end.
};

class FakeCommunicator final : public Communicator {
 public:
  FakeCommunicator(GroupId id, Journal* journal) : id_(id), journal_(journal) {}
  ~FakeCommunicator() override { journal_->freed.push_back(id_); }
  const GroupFacts& facts() const override { return alone_.facts(); }
  bool Supports(Operation, DType) const override { return true; }
  bool Supports(ReduceOp, DType) const override { return true; }
  std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout) override {
    return alone_.Start(std::move(call), timeout);
  }
  void Abort(absl::Status why) override { alone_.Abort(std::move(why)); }

 private:
  const GroupId id_;
  Journal* const journal_;
  SoloCommunicator alone_{GroupFacts{.members = {GroupMember{GlobalRank(0), Incarnation(1)}}}};
};

class FakeEndpoints final : public EpochEndpoints {
 public:
  FakeEndpoints(const EpochPlan& plan, Journal* journal) : journal_(journal) {
    for (const NamedGroup& group : plan.groups) {
      endpoints_.push_back({.group = group.membership.id, .bytes = group.name});
    }
  }
  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }
  absl::StatusOr<std::unique_ptr<Communicator>> Build(GroupId group, const std::vector<Peer>&,
                                                      absl::Duration) override {
    journal_->building.Give();
    if (!journal_->build_blocks) return std::make_unique<FakeCommunicator>(group, journal_);
    if (!journal_->abort.Comes()) return absl::InternalError("nobody aborted it");
    ErrorDetail detail;
    detail.ranks = {GlobalRank(1)};
    return MakeError(absl::StatusCode::kUnavailable, "woken", detail);
  }
  void Abort(absl::Status) override { journal_->abort.Give(); }

 private:
  Journal* const journal_;
  std::vector<Endpoint> endpoints_;
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(Journal* journal) : journal_(journal) {}
  std::string_view name() const override { return "fake"; }
  absl::StatusOr<std::unique_ptr<EpochEndpoints>> OpenEndpoints(EpochPlan plan) override {
    return std::make_unique<FakeEndpoints>(plan, journal_);
  }

 private:
  Journal* const journal_;
};

class EpochBuilderTest : public testing::Test {
 protected:
  // Opens epoch 3 of a world of two with a mesh of one dimension; this process is rank 0.
  void Open() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "wan";
    spec->layout.world_size = 2;
    spec->layout.meshes = {{.name = "dit", .dims = {{"dp", 2}}}};
    Layout layout = *Layout::Create(spec->layout);
    groups_ = layout.GroupsOf(GlobalRank(0));
    live_ =
        registry_.Add({JobUid(9), kEpoch, GlobalRank(0), Incarnation(1), spec}, std::move(layout));
    builder_->Open({kEpoch, GlobalRank(0), spec, groups_}, live_);
  }

  void BuildAll() {
    for (const GroupMembership& group : groups_) builder_->Build({kEpoch, group, {}, kTimeout});
  }

  static constexpr Epoch kEpoch{3};
  Journal journal_;
  FakeBackend backend_{&journal_};
  EventLog events_;
  Registry registry_{std::make_shared<OperationBoard>(events_.sink())};
  std::vector<GroupMembership> groups_;
  std::shared_ptr<LiveEpoch> live_;
  std::unique_ptr<EpochBuilder> builder_ =
      std::make_unique<EpochBuilder>(&backend_, events_.sink());
};

TEST_F(EpochBuilderTest, EverythingIsAnsweredInOrder) {
  Open();
  ASSERT_EQ(groups_.size(), 2);
  BuildAll();
  ASSERT_EQ(events_.WaitFor(3).size(), 3);
  registry_.Activate(kEpoch);
  EXPECT_TRUE(live_->Find(groups_[1].id)->Supports(Operation::kBarrier, DType::kUint8));
  builder_->Abort({kEpoch, absl::UnavailableError("rank 1 was lost")});
  builder_->Free({kEpoch, groups_[1].id});
  builder_->Free({kEpoch, groups_[0].id});
  builder_->Close({kEpoch});
  const std::vector<Event> events = events_.WaitFor(6);
  ASSERT_EQ(events.size(), 6);
  const auto& opened = std::get<EndpointsOpened>(events[0]);
  ASSERT_EQ(opened.endpoints.size(), 2);
  EXPECT_EQ(opened.endpoints[0].bytes, "wan/world#0");
  EXPECT_EQ(opened.endpoints[1].bytes, "wan/dit.dp#0");
  EXPECT_EQ(std::get<GroupBuilt>(events[1]).group, groups_[0].id);
  EXPECT_EQ(std::get<GroupBuilt>(events[2]).group, groups_[1].id);
  EXPECT_EQ(std::get<GroupFreed>(events[3]).group, groups_[1].id);
  EXPECT_EQ(std::get<GroupFreed>(events[4]).group, groups_[0].id);
  EXPECT_EQ(std::get<EndpointsClosed>(events[5]).epoch, kEpoch);
  EXPECT_EQ(journal_.freed, (std::vector<GroupId>{groups_[1].id, groups_[0].id}));
}

TEST_F(EpochBuilderTest, AnAbortWakesABuildAndTheBlamedPeerIsTold) {
  journal_.build_blocks = true;
  Open();
  BuildAll();
  ASSERT_TRUE(journal_.building.Comes());
  builder_->Abort({kEpoch, absl::UnavailableError("rolled back")});
  const std::vector<Event> events = events_.WaitFor(3);
  ASSERT_EQ(events.size(), 3);
  const auto& woken = std::get<BuildFailed>(events[1]).failure;
  EXPECT_EQ(woken.group, "world#0");
  EXPECT_EQ(woken.peer, GlobalRank(1));
  EXPECT_EQ(woken.reason, "woken");
  // A build that comes after the abort is not tried.
  EXPECT_EQ(std::get<BuildFailed>(events[2]).failure.reason, "rolled back");
}

TEST_F(EpochBuilderTest, TheDestructorWakesABuild) {
  journal_.build_blocks = true;
  Open();
  BuildAll();
  ASSERT_TRUE(journal_.building.Comes());
  builder_.reset();
  EXPECT_TRUE(journal_.abort.Comes(absl::ZeroDuration()));
}

TEST_F(EpochBuilderTest, TheDestructorFreesWhatIsLeftInReverse) {
  Open();
  BuildAll();
  ASSERT_EQ(events_.WaitFor(3).size(), 3);
  builder_.reset();
  EXPECT_EQ(journal_.freed, (std::vector<GroupId>{groups_[1].id, groups_[0].id}));
}

}  // namespace
}  // namespace muster::worker
