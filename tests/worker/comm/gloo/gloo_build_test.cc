#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"
#include "worker/comm/gloo/address.h"
#include "worker/comm/gloo/wire.h"

namespace muster {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::Duration kLong = absl::Seconds(60);
constexpr absl::Duration kShort = absl::Milliseconds(400);
constexpr absl::Duration kSoon = absl::Seconds(20);
constexpr GroupId kGroup{.kind = 2, .index = 1};

std::vector<GlobalRank> BlamedBy(const absl::Status& status) {
  return DetailOf(status).value_or(ErrorDetail()).ranks;
}

TEST(GlooBuildTest, EveryMemberKnowsWhoIsWhere) {
  CommWorld world(MakeGlooForTest, 3);

  world.Form();

  for (int r = 0; r < 3; ++r) {
    const GroupFacts& facts = world.at(r).facts();
    EXPECT_EQ(facts.rank, GroupRank(r));
    EXPECT_EQ(facts.size(), 3);
    for (int other = 0; other < 3; ++other) {
      EXPECT_EQ(facts.member(GroupRank(other)),
                (GroupMember{world.GlobalRankOf(other),
                             Incarnation(900U + static_cast<unsigned>(other))}));
    }
  }
}

TEST(GlooBuildTest, PeersThatNeverComeAreAllNamed) {
  CommWorld world(MakeGlooForTest, 5);
  world.Open();
  const MonotonicTime start = world.clock().Now();

  const auto statuses = world.Build(kShort, /*absent=*/{1, 3});

  for (const size_t r : {0U, 2U, 4U}) {
    EXPECT_THAT(statuses[r], StatusIs(absl::StatusCode::kDeadlineExceeded));
    EXPECT_THAT(BlamedBy(statuses[r]), ElementsAre(world.GlobalRankOf(3), world.GlobalRankOf(1)))
        << statuses[r];
  }
  EXPECT_LT(world.clock().Now() - start, kSoon);
}

TEST(GlooBuildTest, PeerThatClosedItsEndpointsIsNamed) {
  CommWorld world(MakeGlooForTest, 2);
  world.Open();
  world.CloseEndpoints(1);

  const auto statuses = world.Build(kShort, /*absent=*/{1});

  EXPECT_FALSE(statuses[0].ok());
  EXPECT_THAT(BlamedBy(statuses[0]), ElementsAre(world.GlobalRankOf(1)));
}

TEST(GlooBuildTest, AbortEndsABuildThatWaits) {
  CommWorld world(MakeGlooForTest, 3);
  world.Open();
  const absl::Status why = absl::UnavailableError("epoch 3 is rolled back");
  const MonotonicTime start = world.clock().Now();
  std::thread aborter([&] {
    world.endpoints(0).Abort(why);
    world.endpoints(2).Abort(why);
  });

  const auto statuses = world.Build(kLong, /*absent=*/{1});
  aborter.join();

  EXPECT_EQ(statuses[0], why);
  EXPECT_EQ(statuses[2], why);
  EXPECT_LT(world.clock().Now() - start, kSoon);
}

TEST(GlooBuildTest, GroupIsTriedOnce) {
  CommWorld world(MakeGlooForTest, 2);
  world.Form();

  EXPECT_THAT(world.endpoints(0).Build(kGroup, world.peers(0), kShort),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(world.endpoints(0).Build(GroupId{9, 9}, {}, kShort),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

// One member takes itself, or is taken, for another than it is. Both sides must refuse, and name
// what they found and what they wanted.
class WrongPeerTest : public testing::Test {
 protected:
  void Expect(const std::function<void(CommWorld&)>& confuse, const std::string& found,
              const std::string& wanted) {
    CommWorld world(MakeGlooForTest, 2);
    confuse(world);
    world.Open();
    const auto statuses = world.Build(kSoon);
    EXPECT_THAT(statuses[0], StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(statuses[0], HasKind(ErrorKind::kWrongPeer));
    EXPECT_THAT(std::string(statuses[0].message()), AllOf(HasSubstr(found), HasSubstr(wanted)));
    EXPECT_THAT(BlamedBy(statuses[0]), ElementsAre(world.GlobalRankOf(1)));
    EXPECT_FALSE(statuses[1].ok());
  }
};

TEST_F(WrongPeerTest, OtherEpoch) {
  Expect([](CommWorld& world) { world.plan(1).epoch = Epoch(2); }, "epoch 2", "epoch 3");
}

TEST_F(WrongPeerTest, OtherJob) {
  Expect([](CommWorld& world) { world.plan(1).job = JobUid(0xbad); }, "job bad", "job 70b");
}

TEST_F(WrongPeerTest, OtherGroup) {
  Expect([](CommWorld& world) { world.plan(1).groups[0].name = "job/dit.tp#1"; },
         absl::StrCat("group ", absl::Hex(GroupHash("job/dit.tp#1"))),
         absl::StrCat("group ", absl::Hex(GroupHash("job/dit.sp#1"))));
}

TEST(GlooBuildTest, OtherIncarnationIsRefusedByWhoExpectedTheOldOne) {
  CommWorld world(MakeGlooForTest, 3);
  world.Open();
  world.peers(0)[0].incarnation = Incarnation(0xdead);  // Of member 1.

  const auto statuses = world.Build(kSoon);

  EXPECT_THAT(statuses[0], HasKind(ErrorKind::kWrongPeer));
  EXPECT_THAT(std::string(statuses[0].message()),
              AllOf(HasSubstr("incarnation 385"), HasSubstr("incarnation dead")));
  for (const size_t r : {1U, 2U})
    EXPECT_THAT(statuses[r], StatusIs(absl::StatusCode::kUnavailable));
}

// Whether member 0 dials one of its two peers. Where it does not, it never uses their addresses.
bool DialsSomebody(CommWorld& world) {
  for (const int peer : {1, 2}) {
    const auto own = SocketAddress::ParseEndpoint(world.peers(peer)[0].endpoint);
    const auto other =
        SocketAddress::ParseEndpoint(world.peers(0)[static_cast<size_t>(peer) - 1].endpoint);
    if (own->Dials(*other)) return true;
  }
  return false;
}

TEST(GlooBuildTest, TwoPeersThatAreTakenForEachOtherAreRefused) {
  std::unique_ptr<CommWorld> world;
  do {
    world = std::make_unique<CommWorld>(MakeGlooForTest, 3);
    world->Open();
    std::swap(world->peers(0)[0].endpoint, world->peers(0)[1].endpoint);
  } while (!DialsSomebody(*world));

  const auto statuses = world->Build(absl::Seconds(2));

  for (const absl::Status& status : statuses) EXPECT_FALSE(status.ok());
}

// Opens a connection to an endpoint, as somebody who has no business there.
class Stranger {
 public:
  explicit Stranger(const std::string& endpoint) {
    const SocketAddress address = *SocketAddress::ParseEndpoint(endpoint);
    fd_ = socket(address.storage().ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address.storage()), address.length()),
              0);
  }
  ~Stranger() { Leave(); }
  void Say(const std::string& text) {
    EXPECT_EQ(send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  void Leave() {
    if (fd_ != -1) close(fd_);
    fd_ = -1;
  }
  // Leaves by a reset, most likely before the other side has looked at the connection.
  void Reset() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    EXPECT_EQ(setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof(none)), 0);
    Leave();
  }

 private:
  int fd_ = -1;
};

TEST(GlooBuildTest, StrangerThatResetsItsConnectionAtOnceDoesNotEndTheProcess) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    CommWorld world(MakeGlooForTest, 2);
    world.Open();
    for (int rank = 0; rank < 2; ++rank) {
      Stranger(world.endpoints(rank).endpoints()[0].bytes).Reset();
    }
    for (const absl::Status& status : world.Build(absl::Milliseconds(100))) {
      EXPECT_FALSE(status.ok());
    }
  }
}

TEST(GlooBuildTest, StrangerOnTheConnectionOfAPeerMakesTheBuildFailAndNothingElse) {
  for (const bool talks : {false, true}) {
    CommWorld world(MakeGlooForTest, 2);
    world.Open();
    // Only one end of a pair is dialled; a stranger at each finds it.
    Stranger one(world.endpoints(0).endpoints()[0].bytes);
    Stranger two(world.endpoints(1).endpoints()[0].bytes);
    if (talks) {
      const std::string request = "GET / HTTP/1.1\r\nHost: worker.example\r\nAccept: */*\r\n\r\n";
      one.Say(request);
      two.Say(request);
    }

    const auto statuses = world.Build(kShort);

    EXPECT_FALSE(statuses[0].ok() && statuses[1].ok());
  }
}

TEST(GlooBuildTest, PeersThatAreNotTheMembersAreRefused) {
  const std::vector<std::function<void(std::vector<Peer>&)>> spoil = {
      [](std::vector<Peer>& peers) { peers.pop_back(); },
      [](std::vector<Peer>& peers) { peers.push_back(peers.back()); },
      [](std::vector<Peer>& peers) { std::swap(peers[0], peers[1]); },
      [](std::vector<Peer>& peers) {
        peers[0].group = GroupId{7, 7};
      },
      [](std::vector<Peer>& peers) { peers[1].endpoint = ""; },
      [](std::vector<Peer>& peers) { peers[1].endpoint = "worker-1.example:80"; },
      [](std::vector<Peer>& peers) { peers[1].endpoint = "127.0.0.1:0"; },
      [](std::vector<Peer>& peers) { peers[1].endpoint = "[::1]:4000"; },
  };
  for (const auto& change : spoil) {
    CommWorld world(MakeGlooForTest, 3);
    world.Open();
    change(world.peers(0));
    EXPECT_THAT(world.endpoints(0).Build(kGroup, world.peers(0), kShort),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(GlooBuildTest, GroupAboveTheLimitIsRefusedBeforeAnythingIsOpened) {
  CommWorld world(MakeGlooForTest, 1);
  EpochPlan plan = world.plan(0);
  plan.groups[0].membership.size = kGlooGroupMax + 1;
  const RealClock clock;

  const auto opened = MakeGlooForTest(&clock)->OpenEndpoints(plan);

  EXPECT_THAT(opened, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(opened, HasKind(ErrorKind::kLimitExceeded));
}

TEST(GlooBuildTest, AddressesThatAreNotANumberOfThisMachineAreRefused) {
  const RealClock clock;
  for (const char* address : {"", "localhost", "no.such.host.invalid", "0.0.0.0", "::", "eth0",
                              "127.0.0.1:80", "fe80::1%lo", "224.0.0.1", "192.0.2.1"}) {
    GlooBackend backend({.address = address}, &clock);
    EXPECT_THAT(backend.OpenEndpoints({}), StatusIs(absl::StatusCode::kInvalidArgument))
        << "address '" << address << "'";
  }
}

TEST(GlooBuildTest, WorksOverIpv6WhereThereIsOne) {
  if (!CheckBindable(*SocketAddress::Parse("::1", 0)).ok()) GTEST_SKIP() << "no IPv6 here";
  CommWorld world(
      [](const Clock* clock) {
        return std::make_unique<GlooBackend>(GlooOptions{.address = "::1"}, clock);
      },
      3);

  world.Form();

  for (const absl::Status& status :
       world.Run([](Communicator&comm, int) { return comm.Barrier(kLong)->Wait(); })) {
    EXPECT_THAT(status, IsOk());
  }
}

}  // namespace
}  // namespace muster
