#include "common/wire/assignment.h"

#include <functional>
#include <memory>
#include <string>

#include "common/wire/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

void ExpectEqual(const Assignment& a, const Assignment& b) {
  EXPECT_EQ(a.store, b.store);
  EXPECT_EQ(a.term, b.term);
  EXPECT_EQ(a.revision, b.revision);
  EXPECT_EQ(a.to, b.to);
  EXPECT_EQ(a.job, b.job);
  EXPECT_EQ(a.deleted, b.deleted);
  ASSERT_EQ(a.spec == nullptr, b.spec == nullptr);
  if (a.spec != nullptr) {
    EXPECT_EQ(*a.spec, *b.spec);
  }
  EXPECT_EQ(a.generation, b.generation);
  EXPECT_EQ(a.deadlines, b.deadlines);
  EXPECT_EQ(a.committed, b.committed);
  EXPECT_EQ(a.committed_rank, b.committed_rank);
  EXPECT_EQ(a.lost, b.lost);
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.probes, b.probes);
  EXPECT_EQ(a.ping, b.ping);
  EXPECT_EQ(a.waiting_for, b.waiting_for);
}

TEST(WireAssignmentTest, AssignmentsSurviveTheWire) {
  Random random(21);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "value " << i);
    const Assignment assignment = RandomAssignment(random);
    v1::Assignment wire;
    ASSERT_TRUE(wire.ParseFromString(ToProto(assignment).SerializeAsString()));
    const absl::StatusOr<Assignment> read = FromProto(wire);
    ASSERT_THAT(read, IsOk());
    ExpectEqual(*read, assignment);
  }
}

// An assignment with one of everything.
v1::Assignment FullAssignment() {
  Assignment assignment;
  assignment.store = StoreId(5);
  assignment.term = Term(2);
  assignment.revision = Revision(3);
  assignment.to = Incarnation(71);
  assignment.job = JobUid(6);
  JobSpec spec;
  spec.name = "wan";
  spec.layout.world_size = 4;
  assignment.spec = std::make_shared<const JobSpec>(spec);
  assignment.generation = Generation(1);
  assignment.committed = Epoch(8);
  LostMember lost;
  lost.worker = "w-2";
  lost.incarnation = Incarnation(72);
  assignment.lost = {lost};
  assignment.attempt = AttemptView{
      .epoch = Epoch(9), .step = AttemptStep::kBuild, .rank = GlobalRank(1), .peers = {}};
  assignment.attempt->peers.resize(1);
  assignment.attempt->peers[0].incarnation = Incarnation(73);
  assignment.probes = {{.incarnation = Incarnation(74), .pid = 12, .process_start = 13}};
  return ToProto(assignment);
}

struct Bad {
  const char* path;
  std::function<void(v1::Assignment&)> spoil;
};

void ExpectRefused(const std::vector<Bad>& cases) {
  for (const Bad& c : cases) {
    v1::Assignment wire = FullAssignment();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument,
                                          HasSubstr(std::string("assignment.") + c.path)));
  }
}

TEST(WireAssignmentTest, EveryFieldIsHeldToItsRange) {
  ASSERT_THAT(FromProto(FullAssignment()), IsOk());
  using A = v1::Assignment;
  ExpectRefused({
      {"store ", [](A& a) { a.set_store(0); }},
      {"term ", [](A& a) { a.set_term(0); }},
      {"revision ", [](A& a) { a.set_revision(0); }},
      {"to ", [](A& a) { a.set_to(0); }},
      {"spec.meshes[0].name ",
       [](A& a) { a.mutable_spec()->add_meshes()->set_name(std::string(64, 'm')); }},
      {"generation ", [](A& a) { a.set_generation(0); }},
      {"generation ", [](A& a) { a.clear_spec(); }},
      {"deadlines ", [](A& a) { a.clear_deadlines(); }},
      {"deadlines ", [](A& a) { a.clear_spec(), a.clear_generation(); }},
      {"deadlines.ping ", [](A& a) { a.mutable_deadlines()->clear_ping(); }},
      {"deadlines.abort ", [](A& a) { a.mutable_deadlines()->mutable_abort()->set_nanos(-1); }},
      {"waiting_for ", [](A& a) { a.set_waiting_for(std::string(1025, 'w')); }},
  });
}

TEST(WireAssignmentTest, EveryFieldOfTheCommittedEpochIsHeldToItsRange) {
  using A = v1::Assignment;
  ExpectRefused({
      {"committed.epoch ", [](A& a) { a.mutable_committed()->set_epoch(0); }},
      {"committed.rank ", [](A& a) { a.mutable_committed()->set_rank(-1); }},
      {"committed.lost ",
       [](A& a) {
         while (a.committed().lost_size() <= kSessionListMax) a.mutable_committed()->add_lost();
       }},
      {"committed.lost[0].rank ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->set_rank(-1); }},
      {"committed.lost[0].worker ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->set_worker(""); }},
      {"committed.lost[0].hostname ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->set_hostname(std::string(257, 'h')); }},
      {"committed.lost[0].incarnation ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->set_incarnation(0); }},
      {"committed.lost[0].cause ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->set_cause(v1::LOSS_CAUSE_UNSPECIFIED); }},
      {"committed.lost[0].silent_for ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->clear_silent_for(); }},
      {"committed.lost[0].doing ",
       [](A& a) { a.mutable_committed()->mutable_lost(0)->set_doing(std::string(513, 'd')); }},
  });
}

TEST(WireAssignmentTest, EveryFieldOfAnAttemptIsHeldToItsRange) {
  using A = v1::Assignment;
  ExpectRefused({
      {"attempt.epoch ", [](A& a) { a.mutable_attempt()->set_epoch(-2); }},
      {"attempt.step ",
       [](A& a) { a.mutable_attempt()->set_step(static_cast<v1::AttemptStep>(4)); }},
      {"attempt.rank ", [](A& a) { a.mutable_attempt()->set_rank(kWorldSizeMax); }},
      {"attempt.peers ",
       [](A& a) {
         while (a.attempt().peers_size() <= kSessionListMax) a.mutable_attempt()->add_peers();
       }},
      {"attempt.peers[0].group ",
       [](A& a) { a.mutable_attempt()->mutable_peers(0)->clear_group(); }},
      {"attempt.peers[0].rank ", [](A& a) { a.mutable_attempt()->mutable_peers(0)->set_rank(-1); }},
      {"attempt.peers[0].global_rank ",
       [](A& a) { a.mutable_attempt()->mutable_peers(0)->set_global_rank(-1); }},
      {"attempt.peers[0].incarnation ",
       [](A& a) { a.mutable_attempt()->mutable_peers(0)->set_incarnation(0); }},
      {"attempt.peers[0].endpoint ",
       [](A& a) {
         a.mutable_attempt()->mutable_peers(0)->set_endpoint(
             std::string(kEndpointBytesMax + 1, 'e'));
       }},
      {"probes[0].incarnation ", [](A& a) { a.mutable_probes(0)->set_incarnation(0); }},
      {"probes[0].pid ", [](A& a) { a.mutable_probes(0)->set_pid(0); }},
      {"probes[0].process_start ", [](A& a) { a.mutable_probes(0)->set_process_start(-1); }},
      {"probes ",
       [](A& a) {
         while (a.probes_size() <= kSessionListMax) a.add_probes();
       }},
  });
}

TEST(WireAssignmentTest, UnsupportedSpecIsRefusedAsSuch) {
  v1::Assignment wire = FullAssignment();
  wire.mutable_spec()->mutable_policy()->add_on_loss(v1::ON_LOSS_REPLACE);
  EXPECT_THAT(FromProto(wire),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("assignment.spec.policy.on_loss")));
}

}  // namespace
}  // namespace muster
