#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

using testing::AnyOf;
using testing::Eq;

constexpr int kSize = 4;
constexpr size_t kMessageMax = 8192;
constexpr GroupId kGroup{.kind = 1, .index = 0};

GlobalRank GlobalRankOf(int r) { return GlobalRank(70 + r); }

void Tell(int fd, const std::string& message) {
  if (send(fd, message.data(), message.size(), MSG_NOSIGNAL) < 0) _exit(3);
}

// The next message, or nothing after 30 s or at the end.
std::string Hear(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  std::string message(kMessageMax, '\0');
  if (poll(&waiting, 1, 30000) != 1) return "";
  const ssize_t bytes = recv(fd, message.data(), message.size(), 0);
  message.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  return message;
}

// As "14 member_suspect 72": code, kind, who is blamed.
std::string Summary(const absl::Status& status) {
  const ErrorDetail detail = DetailOf(status).value_or(ErrorDetail());
  const auto number = [](std::string* out, GlobalRank rank) { absl::StrAppend(out, rank.value); };
  return absl::StrCat(static_cast<int>(status.code()), " ", std::string(KindName(detail.kind)), " ",
                      absl::StrJoin(detail.ranks, ",", number));
}

struct Job {
  int64_t count = 0;       // Elements of each all_reduce.
  absl::Duration timeout;  // Of each.
};

// One member: says its endpoints, hears those of the others, builds, says "built", and sums again
// and again until that fails; then says how. Never returns.
[[noreturn]] void RunMember(int r, int fd, const Job& job) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);
  const RealClock clock;
  auto backend = MakeGlooForTest(&clock);
  EpochPlan plan;
  plan.job = JobUid(5);
  plan.epoch = Epoch(1);
  plan.rank = GlobalRankOf(r);
  plan.incarnation = Incarnation(static_cast<uint64_t>(r) + 1);
  plan.groups.push_back(
      {.membership = {.id = kGroup, .rank = GroupRank(r), .size = kSize}, .name = "job/world#0"});
  auto endpoints = backend->OpenEndpoints(plan);
  if (!endpoints.ok()) _exit(4);
  std::string offer;
  for (const Endpoint& e : (*endpoints)->endpoints()) absl::StrAppend(&offer, e.bytes, " ");
  Tell(fd, offer);

  std::vector<Peer> peers;
  const std::string offered = Hear(fd);
  const std::vector<std::string> addresses = absl::StrSplit(offered, ' ', absl::SkipEmpty());
  for (int other = 0; other < kSize; ++other) {
    if (other == r) continue;
    peers.push_back({kGroup, GroupRank(other), GlobalRankOf(other),
                     Incarnation(static_cast<uint64_t>(other) + 1), addresses[peers.size()]});
  }
  auto built = (*endpoints)->Build(kGroup, peers, absl::Seconds(3));
  if (!built.ok()) {
    Tell(fd, Summary(built.status()));
    _exit(0);
  }
  std::vector<int64_t> values(static_cast<size_t>(job.count));
  for (int round = 0;; ++round) {
    std::fill(values.begin(), values.end(), r + round);
    const absl::Status status =
        (*built)
            ->AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, job.timeout)
            ->Wait();
    if (!status.ok()) {
      Tell(fd, Summary(status));
      _exit(0);
    }
    const int64_t wanted = kSize * (kSize - 1) / 2 + kSize * round;
    if (values.front() != wanted || values.back() != wanted) _exit(5);
    if (round == 1) Tell(fd, "works");
  }
}

class GlooProcessTest : public testing::Test {
 protected:
  void Start(const Job& job) {
    for (int r = 0; r < kSize; ++r) {
      int fds[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
      const pid_t pid = fork();
      ASSERT_GE(pid, 0);
      if (pid == 0) {
        for (const int other : fds_) close(other);
        close(fds[0]);
        RunMember(r, fds[1], job);
      }
      close(fds[1]);
      pids_.push_back(pid);
      fds_.push_back(fds[0]);
    }
    for (const int fd : fds_) offers_.push_back(Hear(fd));
  }

  // Hands the endpoints of all to all. Member i offers one to each other, in order.
  void Introduce() {
    for (int r = 0; r < kSize; ++r) {
      std::string offered;
      for (int other = 0; other < kSize; ++other) {
        if (other == r) continue;
        const std::vector<std::string> offer =
            absl::StrSplit(offers_[static_cast<size_t>(other)], ' ', absl::SkipEmpty());
        absl::StrAppend(&offered, offer[static_cast<size_t>(r < other ? r : r - 1)], " ");
      }
      // A member that was killed does not hear it.
      send(fds_[static_cast<size_t>(r)], offered.data(), offered.size(), MSG_NOSIGNAL);
    }
  }

  void WaitUntilAllWork() {
    for (const int fd : fds_) ASSERT_EQ(Hear(fd), "works");
  }

  void Signal(int r, int signal) { kill(pids_[static_cast<size_t>(r)], signal); }
  std::string HearFrom(int r) { return Hear(fds_[static_cast<size_t>(r)]); }

  void TearDown() override {
    for (const int fd : fds_) close(fd);
    for (const pid_t pid : pids_) kill(pid, SIGKILL);
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }

  std::vector<pid_t> pids_;
  std::vector<int> fds_;
  std::vector<std::string> offers_;
};

constexpr Job kLargeSums{.count = int64_t{8} << 20U, .timeout = absl::Seconds(60)};  // 64 MiB

class KilledInAllReduceTest : public GlooProcessTest, public testing::WithParamInterface<int> {};

TEST_P(KilledInAllReduceTest, IsNamedByAllSurvivors) {
  const int victim = GetParam();
  Start(kLargeSums);
  Introduce();
  WaitUntilAllWork();

  Signal(victim, SIGKILL);

  for (int r = 0; r < kSize; ++r) {
    if (r == victim) continue;
    EXPECT_EQ(HearFrom(r), absl::StrCat("14 member_suspect ", GlobalRankOf(victim).value))
        << "from rank " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Victims, KilledInAllReduceTest, testing::Values(0, 1, 2, 3));

TEST_F(GlooProcessTest, MemberThatIsKilledBeforeTheBuildIsNamed) {
  Start(kLargeSums);
  Signal(2, SIGKILL);
  waitpid(pids_[2], nullptr, 0);

  Introduce();

  for (const int r : {0, 1, 3}) {
    EXPECT_THAT(HearFrom(r), AnyOf(Eq("14 member_suspect 72"), Eq("4 deadline_exceeded 72")));
  }
}

TEST_F(GlooProcessTest, MemberThatIsStoppedIsNamedWhenTheTimeIsUp) {
  Start({.count = 300000, .timeout = absl::Seconds(2)});
  Introduce();
  WaitUntilAllWork();

  Signal(1, SIGSTOP);

  for (const int r : {0, 2, 3}) EXPECT_EQ(HearFrom(r), "4 deadline_exceeded 71");
}

}  // namespace
}  // namespace muster
