#include "worker/muster/join.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/support/log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/job_bed.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::ElementsAre;

constexpr absl::Duration kTimeout = absl::Seconds(30);

using Members = std::vector<std::unique_ptr<Context>>;

// Forms the job of `spec` with one worker per seat.
Members Form(JobBed& bed, const JobSpec& spec) {
  Members members;
  EXPECT_THAT(bed.Apply(spec), IsOk());
  for (auto& joined : bed.JoinAll(spec.layout.world_size)) {
    EXPECT_THAT(joined, IsOk());
    if (joined.ok()) members.push_back(*std::move(joined));
  }
  return members;
}

std::vector<Context*> Pointers(const Members& members) {
  std::vector<Context*> pointers;
  for (const auto& member : members) pointers.push_back(member.get());
  return pointers;
}

// Adds up what is different on every rank and in every element, and compares with the formula.
absl::Status CheckSum(GroupHandle& group, GlobalRank self) {
  std::vector<int64_t> values;
  std::vector<int64_t> wanted;
  for (int64_t i = 0; i < 500; ++i) {
    values.push_back(self.value * 1000 + i);
    int64_t sum = 0;
    for (const GlobalRank rank : group.ranks()) sum += rank.value * 1000 + i;
    wanted.push_back(sum);
  }
  absl::Status status =
      group.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kTimeout)->Wait();
  if (status.ok() && values != wanted) {
    return absl::DataLossError(absl::StrCat("a wrong sum on ", group.name()));
  }
  return status;
}

absl::Status CheckEveryGroup(Context& context) {
  for (const auto& group : context.Groups()) {
    if (absl::Status status = CheckSum(*group, context.rank()); !status.ok()) return status;
  }
  return absl::OkStatus();
}

class JoinTest : public testing::TestWithParam<int> {};

TEST_P(JoinTest, EveryGroupAddsUp) {
  JobBed bed;
  const Members members = Form(bed, JobBed::Spec(GetParam()));
  ASSERT_EQ(std::ssize(members), GetParam());
  std::set<GlobalRank> ranks;
  for (const auto& member : members) {
    ranks.insert(member->rank());
    EXPECT_EQ(member->world_size(), GetParam());
    EXPECT_EQ(member->epoch(), members[0]->epoch());
    EXPECT_THAT(member->state(), IsOk());
    EXPECT_EQ(member->Groups().size(), 3);  // The world, dp and tp.
  }
  EXPECT_EQ(std::ssize(ranks), GetParam());
  for (const absl::Status& status : RunAll(Pointers(members), CheckEveryGroup)) {
    EXPECT_THAT(status, IsOk());
  }
  for (const auto& member : members) {
    member->Leave();
    EXPECT_EQ(member->exit_code(), 0);
    member->Leave();
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, JoinTest, testing::Values(1, 2, 3));

TEST(JoinGroupTest, GroupsAreFoundByKindAndByName) {
  JobBed bed;
  const Members members = Form(bed, JobBed::Spec(/*world=*/4, /*tp=*/2));
  ASSERT_EQ(members.size(), 4);
  for (const auto& member : members) {
    const auto dp = member->Group("dit.dp");
    ASSERT_THAT(dp, IsOk());
    const int32_t rank = member->rank().value;
    EXPECT_THAT((*dp)->ranks(), ElementsAre(GlobalRank(rank % 2), GlobalRank(rank % 2 + 2)));
    EXPECT_EQ((*dp)->name(), absl::StrCat("wan/dit.dp#", rank % 2));
    EXPECT_EQ((*dp)->rank(), GroupRank(rank / 2));
    EXPECT_THAT(member->Group((*dp)->name()), IsOk());
    EXPECT_THAT(member->Group(absl::StrCat("dit.dp#", 1 - rank % 2)),
                HasKind(ErrorKind::kNotAMember));
    EXPECT_THAT(member->Group("wan/world"), IsOk());
    EXPECT_THAT(member->Group("dit.pp"), HasKind(ErrorKind::kUnknownName));
    EXPECT_THAT(member->Group("dit.dp#2"), HasKind(ErrorKind::kIndexOutOfLayout));
  }
  for (const absl::Status& status : RunAll(Pointers(members), CheckEveryGroup)) {
    EXPECT_THAT(status, IsOk());
  }
}

TEST(JoinErrorTest, WithoutCoordinatorItEndsAtTheDeadline) {
  JoinOptions options;
  {
    const JobBed bed;  // Its port is free again when it is gone.
    options = bed.OptionsOf(0);
  }
  options.join_deadline = absl::Milliseconds(400);
  const auto joined = Join(options);
  EXPECT_THAT(joined, StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(joined, HasKind(ErrorKind::kDeadlineExceeded));
}

TEST(JoinErrorTest, AJobThatLacksAMemberEndsAtTheDeadline) {
  JobBed bed;
  ASSERT_THAT(bed.Apply(JobBed::Spec(2)), IsOk());
  JoinOptions options = bed.OptionsOf(0);
  options.join_deadline = absl::Milliseconds(400);
  EXPECT_THAT(Join(options), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(JoinErrorTest, ARankOutsideTheWorldIsRefused) {
  JobBed bed;
  ASSERT_THAT(bed.Apply(JobBed::Spec(2)), IsOk());
  JoinOptions options = bed.OptionsOf(0);
  options.wanted_rank = GlobalRank(7);
  EXPECT_THAT(Join(options), HasKind(ErrorKind::kRankOutOfRange));
}

TEST(JoinErrorTest, BadOptionsAreRefusedAtOnce) {
  const JobBed bed;
  JoinOptions options = bed.OptionsOf(0);
  options.worker = "";
  EXPECT_THAT(Join(options), HasKind(ErrorKind::kConfigInvalid));
  options = bed.OptionsOf(0);
  options.job = "Not A Job";
  EXPECT_THAT(Join(options), HasKind(ErrorKind::kInvalidName));
  options = bed.OptionsOf(0);
  options.coordinator = "203.0.113.7:7070";  // Beyond loopback, without TLS.
  EXPECT_THAT(Join(options), StatusIs(absl::StatusCode::kPermissionDenied));
}

// Waits in a barrier that one member never joins.
absl::Status WaitForWorld(Context& context) {
  return (*context.Group("world"))->Barrier(kTimeout)->Wait();
}

void ExpectNames(const absl::Status& status, const Context& gone) {
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(status, HasKind(ErrorKind::kMemberLost));
  const ErrorDetail detail = DetailOf(status).value_or(ErrorDetail());
  EXPECT_THAT(detail.ranks, ElementsAre(gone.rank()));
  EXPECT_THAT(detail.workers, ElementsAre(gone.worker()));
}

TEST(LeaveTest, TheOthersAreToldWhoLeft) {
  JobBed bed;
  Members members = Form(bed, JobBed::Spec(3));
  ASSERT_EQ(members.size(), 3);
  const auto statuses = RunAll(Pointers(members), [&members](Context& context) {
    if (&context != members[1].get()) return WaitForWorld(context);
    context.Leave();
    return context.state();
  });
  ExpectNames(statuses[0], *members[1]);
  ExpectNames(statuses[2], *members[1]);
  EXPECT_THAT(statuses[1], HasKind(ErrorKind::kMemberLeft));
  // Every later operation, in every group, ends in the same way.
  for (const size_t survivor : {size_t{0}, size_t{2}}) {
    ExpectNames(members[survivor]->state(), *members[1]);
    for (const auto& group : members[survivor]->Groups()) {
      ExpectNames(group->Barrier(kTimeout)->Wait(), *members[1]);
    }
  }
}

TEST(LeaveTest, AReplacementLeadsToANewEpoch) {
  JobBed bed;
  Members members = Form(bed, JobBed::Spec(2));
  ASSERT_EQ(members.size(), 2);
  const Epoch before = members[0]->epoch();
  const auto old_world = *members[0]->Group("world");
  const GlobalRank seat = members[1]->rank();
  members[1].reset();

  std::thread replacement([&bed, &members] {
    auto joined = Join(bed.OptionsOf(7));
    EXPECT_THAT(joined, IsOk());
    if (joined.ok()) members[1] = *std::move(joined);
  });
  EXPECT_THAT(members[0]->Recover(kTimeout), IsOk());
  replacement.join();
  ASSERT_NE(members[1], nullptr);
  EXPECT_GT(members[0]->epoch(), before);
  EXPECT_EQ(members[1]->epoch(), members[0]->epoch());
  EXPECT_EQ(members[1]->rank(), seat);
  for (const absl::Status& status : RunAll(Pointers(members), CheckEveryGroup)) {
    EXPECT_THAT(status, IsOk());
  }
  const absl::Status stale = old_world->Barrier(kTimeout)->Wait();
  EXPECT_THAT(stale, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(stale, HasKind(ErrorKind::kStaleEpoch));
  EXPECT_EQ(DetailOf(stale)->epoch, members[0]->epoch());
}

size_t CountEntries(const char* folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    (void)entry;
    ++count;
  }
  return count;
}

TEST(LeaveTest, CyclesOfJoiningAndLeavingKeepNothing) {
  JobBed bed;
  size_t descriptors = 0;
  size_t threads = 0;
  for (int cycle = 0; cycle < 8; ++cycle) {
    Members members = Form(bed, JobBed::Spec(2));
    ASSERT_EQ(members.size(), 2);
    for (const absl::Status& status : RunAll(Pointers(members), CheckEveryGroup)) {
      EXPECT_THAT(status, IsOk());
    }
    members.clear();
    if (cycle == 2) {  // What libraries make once is there by now.
      descriptors = CountEntries("/proc/self/fd");
      threads = CountEntries("/proc/self/task");
    }
  }
  constexpr size_t kPoolSlack = 2;  // Threads that gRPC adds and drops as it likes.
  EXPECT_TRUE(Eventually([&] {
    return CountEntries("/proc/self/fd") <= descriptors &&
           CountEntries("/proc/self/task") <= threads + kPoolSlack;
  })) << CountEntries("/proc/self/fd")
      << " descriptors after " << descriptors << ", " << CountEntries("/proc/self/task")
      << " threads after " << threads;
}

TEST(LeaveTest, ADeletedJobEndsItsMembersWithCodeZero) {
  JobBed bed;
  const Members members = Form(bed, JobBed::Spec(2));
  ASSERT_EQ(members.size(), 2);
  EXPECT_THAT(bed.Delete("wan"), IsOk());
  for (const auto& member : members) {
    EXPECT_THAT(member->Recover(kTimeout), HasKind(ErrorKind::kJobDeleted));
    EXPECT_EQ(member->exit_code(), 0);
  }
}

TEST(JoinOptionsTest, TheEnvironmentIsRead) {
  const std::map<std::string, std::string> variables = {
      {"MUSTER_COORDINATOR", "coordinator.wan:7070"},
      {"MUSTER_JOB", "wan"},
      {"MUSTER_WORKER_ID", "w-3"},
      {"MUSTER_HOST_ID", "gpu-2"},
      {"MUSTER_DEVICE", "G-1"},
      {"MUSTER_DEVICE_INDEX", "5"},
      {"MUSTER_JOIN_DEADLINE", "90s"},
      {"RANK", "6"},
      {"MUSTER_TLS_CA", "/ca.pem"},
      {"MUSTER_LOG_LEVEL", "warning"}};
  const Environment environment = [&variables](const std::string& name) {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional<std::string>(it->second);
  };
  const auto options = JoinOptions::FromEnvironment(environment);
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->coordinator, "coordinator.wan:7070");
  EXPECT_EQ(options->job, "wan");
  EXPECT_EQ(options->worker, "w-3");
  EXPECT_EQ(options->host_id, "gpu-2");
  EXPECT_EQ(options->device, "G-1");
  EXPECT_EQ(options->device_index, 5);
  EXPECT_EQ(options->wanted_rank, GlobalRank(6));
  EXPECT_EQ(options->tls.ca, "/ca.pem");
  EXPECT_EQ(options->join_deadline, absl::Seconds(90));
  EXPECT_EQ(options->log_level, LogLevel::kWarning);
}

// An environment with what is required and one variable more.
Environment EnvironmentWith(const std::string& name, const std::string& value) {
  return [name, value](const std::string& asked) -> std::optional<std::string> {
    if (asked == name) return value;
    if (asked == "MUSTER_COORDINATOR") return "coordinator.wan:7070";
    if (asked == "MUSTER_JOB") return "wan";
    return std::nullopt;
  };
}

TEST(JoinOptionsTest, WithoutALogLevelTheLogIsLeftAlone) {
  const auto options = JoinOptions::FromEnvironment(EnvironmentWith("MUSTER_WORKER_ID", "w-1"));
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->log_level, std::nullopt);
}

TEST(JoinOptionsTest, ALogLevelThatThereIsNotIsRefusedByName) {
  const auto options = JoinOptions::FromEnvironment(EnvironmentWith("MUSTER_LOG_LEVEL", "loud"));
  EXPECT_THAT(options, HasKind(ErrorKind::kConfigInvalid));
  EXPECT_THAT(std::string(options.status().message()), testing::HasSubstr("MUSTER_LOG_LEVEL"));
}

TEST(JoinLogTest, TheLevelOfTheOptionsHoldsFromJoinOn) {
  const LogLevel before = CurrentLogLevel();
  const JobBed bed;
  JoinOptions options = bed.OptionsOf(0);
  options.coordinator = "203.0.113.7:7070";  // Refused at once: beyond loopback, without TLS.
  EXPECT_FALSE(Join(options).ok());
  EXPECT_EQ(CurrentLogLevel(), before);
  options.log_level = LogLevel::kError;
  EXPECT_FALSE(Join(options).ok());
  EXPECT_EQ(CurrentLogLevel(), LogLevel::kError);
  SetLogLevel(before);
}

TEST(JoinOptionsTest, AMissingCoordinatorIsNamed) {
  const auto options =
      JoinOptions::FromEnvironment([](const std::string&) { return std::nullopt; });
  EXPECT_THAT(options, HasKind(ErrorKind::kConfigInvalid));
}

}  // namespace
}  // namespace muster
