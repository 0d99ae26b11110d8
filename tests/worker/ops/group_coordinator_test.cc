#include "worker/ops/group_coordinator.h"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/ops/strided_memory.h"
#include "worker/ops/group_names.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A group that only knows who is in it.
class StillGroup final : public GroupOperations {
 public:
  StillGroup(int32_t rank, int32_t size) : rank_(rank), size_(size) {}
  GroupRank rank() const override { return rank_; }
  int32_t size() const override { return size_; }
  bool Supports(Operation, DType) const override { return false; }
  bool Supports(ReduceOp, DType) const override { return false; }
  std::unique_ptr<Work> Start(OperationCall, absl::Duration) override {
    return MakeDoneWork(absl::OkStatus());
  }

 private:
  const GroupRank rank_;
  const int32_t size_;
};

const std::vector<GlobalRank>& Ranks() {
  static const std::vector<GlobalRank> ranks = {GlobalRank(12), GlobalRank(4), GlobalRank(9),
                                                GlobalRank(0), GlobalRank(7)};
  return ranks;
}

absl::StatusOr<std::unique_ptr<GroupCoordinator>> MakeAt(int32_t rank,
                                                         std::vector<GlobalRank> ranks) {
  const auto size = static_cast<int32_t>(ranks.size());
  return GroupCoordinator::Make({.name = "wan/dit.sp#1",
                                 .ranks = std::move(ranks),
                                 .rank = GroupRank(rank),
                                 .local_rank = LocalRank(2),
                                 .device = {.kind = DeviceKind::kCuda, .index = 2}},
                                std::make_shared<StillGroup>(rank, size));
}

TEST(GroupCoordinatorTest, RanksFollowTheOrderOfTheGroup) {
  const auto group = *MakeAt(3, Ranks());
  EXPECT_EQ(group->name(), "wan/dit.sp#1");
  EXPECT_EQ(group->rank(), GlobalRank(0));
  EXPECT_EQ(group->rank_in_group(), GroupRank(3));
  EXPECT_EQ(group->local_rank(), LocalRank(2));
  EXPECT_EQ(group->device().index, 2);
  EXPECT_EQ(group->world_size(), 5);
  EXPECT_EQ(group->ranks(), Ranks());
  EXPECT_EQ(group->first_rank(), GlobalRank(12));
  EXPECT_EQ(group->last_rank(), GlobalRank(7));
  EXPECT_EQ(group->group_next_rank(), GroupRank(4));
  EXPECT_EQ(group->next_rank(), GlobalRank(7));
  EXPECT_EQ(group->group_prev_rank(), GroupRank(2));
  EXPECT_EQ(group->prev_rank(), GlobalRank(9));
  EXPECT_EQ(group->group_skip_rank(), GroupRank(1));
  EXPECT_EQ(group->skip_rank(), GlobalRank(4));
  EXPECT_FALSE(group->is_first_rank());
  EXPECT_FALSE(group->is_last_rank());
}

TEST(GroupCoordinatorTest, TheCircleClosesAndTheMiddleIsItsOwnMirror) {
  const auto last = *MakeAt(4, Ranks());
  EXPECT_TRUE(last->is_last_rank());
  EXPECT_EQ(last->next_rank(), GlobalRank(12));
  EXPECT_EQ(last->skip_rank(), GlobalRank(12));
  const auto first = *MakeAt(0, Ranks());
  EXPECT_TRUE(first->is_first_rank());
  EXPECT_EQ(first->prev_rank(), GlobalRank(7));
  EXPECT_EQ((*MakeAt(2, Ranks()))->skip_rank(), GlobalRank(9));
  const auto alone = *MakeAt(0, {GlobalRank(3)});
  EXPECT_TRUE(alone->is_first_rank() && alone->is_last_rank());
  EXPECT_EQ(alone->next_rank(), GlobalRank(3));
  EXPECT_EQ(alone->group_prev_rank(), GroupRank(0));
  EXPECT_EQ(alone->skip_rank(), GlobalRank(3));
}

TEST(GroupCoordinatorTest, RanksOfBothKindsAreTranslatedAndNeverMixed) {
  static_assert(!std::is_convertible_v<GlobalRank, GroupRank>);
  static_assert(!std::is_constructible_v<GroupRank, GlobalRank>);
  const auto group = *MakeAt(1, Ranks());
  for (int32_t r = 0; r < 5; ++r) {
    const GlobalRank global = Ranks()[static_cast<size_t>(r)];
    EXPECT_THAT(group->ToGlobalRank(GroupRank(r)), IsOkAndHolds(global));
    EXPECT_THAT(group->ToGroupRank(global), IsOkAndHolds(GroupRank(r)));
  }
  EXPECT_THAT(group->ToGroupRank(GlobalRank(1)), HasKind(ErrorKind::kNotAMember));
  EXPECT_THAT(group->ToGlobalRank(GroupRank(5)), HasKind(ErrorKind::kRankOutOfRange));
  EXPECT_THAT(group->ToGlobalRank(GroupRank(-1)), HasKind(ErrorKind::kRankOutOfRange));
}

TEST(GroupCoordinatorTest, ShardsAreThoseOfItsPlaceInTheGroup) {
  const auto group = *MakeAt(3, Ranks());
  const Dense dense = Numbered({2, 10}, 5);
  const auto shard = group->ShardOf(TensorOf(dense, DType::kInt32), -1);
  ASSERT_THAT(shard, IsOk());
  EXPECT_EQ(Compare(shard->tensor, SliceOf(dense, 1, 6, 2), DType::kInt32), "");
}

TEST(GroupCoordinatorTest, SeatsThatCannotBeAreRefused) {
  EXPECT_THAT(MakeAt(0, {GlobalRank(3), GlobalRank(3)}), HasKind(ErrorKind::kDuplicateRank));
  const auto group = std::make_shared<StillGroup>(1, 3);
  const auto make = [&group](std::vector<GlobalRank> ranks, int32_t rank) {
    return GroupCoordinator::Make({.ranks = std::move(ranks), .rank = GroupRank(rank)}, group);
  };
  const std::vector<GlobalRank> three = {GlobalRank(5), GlobalRank(6), GlobalRank(7)};
  EXPECT_THAT(make(three, 1), IsOk());
  EXPECT_THAT(make(three, 2), HasKind(ErrorKind::kSizeMismatch));
  EXPECT_THAT(make({GlobalRank(5), GlobalRank(6)}, 1), HasKind(ErrorKind::kSizeMismatch));
  EXPECT_THAT(make({}, 0), HasKind(ErrorKind::kSizeMismatch));
}

TEST(GroupNamesTest, NamesCountUpForEachBase) {
  GroupNames names;
  const auto tp0 = *names.Add("tp", *MakeAt(0, Ranks()));
  const auto tp1 = *names.Add("tp", *MakeAt(0, Ranks()));
  const auto sp0 = *names.Add("sp", *MakeAt(0, Ranks()));
  const auto none = *names.Add("", *MakeAt(0, Ranks()));
  EXPECT_EQ(tp0.name, "tp:0");
  EXPECT_EQ(tp1.name, "tp:1");
  EXPECT_EQ(sp0.name, "sp:0");
  EXPECT_EQ(none.name, "anonymous:0");
  EXPECT_EQ(*names.Find("tp:1"), tp1.group);
  EXPECT_THAT(names.names(), ElementsAre("anonymous:0", "sp:0", "tp:0", "tp:1"));
}

TEST(GroupNamesTest, AnEntryGoesWithItsGroupAndItsNameIsNotGivenAgain) {
  GroupNames names;
  auto first = *names.Add("tp", *MakeAt(0, Ranks()));
  {
    const auto found = *names.Find("tp:0");
    first.group.reset();
    EXPECT_THAT(names.Find("tp:0"), IsOk());  // `found` keeps it.
  }
  EXPECT_THAT(names.names(), ElementsAre());
  EXPECT_THAT(names.Find("tp:0"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("is gone")));
  EXPECT_THAT(names.Find("tp:0"), HasKind(ErrorKind::kUnknownGroup));
  EXPECT_EQ(names.Add("tp", *MakeAt(0, Ranks()))->name, "tp:1");
}

TEST(GroupNamesTest, NamesThatNobodyHadAreUnknown) {
  GroupNames names;
  const auto tp0 = *names.Add("tp", *MakeAt(0, Ranks()));
  for (const char* name : {"", "tp", "tp:", "tp:1", "tp:-1", "tp:0x", ":0", "dp:0"}) {
    EXPECT_THAT(names.Find(name), StatusIs(absl::StatusCode::kNotFound, HasSubstr("no group has")));
  }
}

TEST(GroupNamesTest, NamesThatCannotBeAreRefusedAndTheGroupGoes) {
  GroupNames names;
  EXPECT_THAT(names.Add("tp:0", *MakeAt(0, Ranks())), HasKind(ErrorKind::kInvalidName));
  EXPECT_THAT(names.Add(std::string(129, 'a'), *MakeAt(0, Ranks())),
              HasKind(ErrorKind::kInvalidName));
  EXPECT_THAT(names.Add(std::string(128, 'a'), *MakeAt(0, Ranks())), IsOk());
}

TEST(GroupNamesTest, GroupsMayOutliveTheirNames) {
  auto names = std::make_unique<GroupNames>();
  auto named = *names->Add("tp", *MakeAt(0, Ranks()));
  names.reset();
  EXPECT_EQ(named.group->world_size(), 5);
  named.group.reset();
}

}  // namespace
}  // namespace muster
