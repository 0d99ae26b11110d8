#include "tests/testing/comm_world.h"

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/monitor.h"

namespace muster {
namespace {

constexpr GroupId kGroup{.kind = 2, .index = 1};
constexpr absl::Duration kFormDeadline = absl::Seconds(60);

}  // namespace

CommWorld::CommWorld(MakeBackend make_backend, int32_t size) : members_(static_cast<size_t>(size)) {
  for (int r = 0; r < size; ++r) {
    Member& member = members_[static_cast<size_t>(r)];
    member.backend = make_backend(&clock_);
    member.plan.job = JobUid(0x70b);
    member.plan.epoch = Epoch(3);
    member.plan.rank = GlobalRankOf(r);
    member.plan.incarnation = Incarnation(900 + static_cast<uint64_t>(r));
    member.plan.groups.push_back(
        {.membership = {.id = kGroup, .rank = GroupRank(r), .size = size}, .name = "job/dit.sp#1"});
  }
}

CommWorld::~CommWorld() { FreeAll(); }

void CommWorld::FreeAll() {
  for (Member& member : members_) member.communicator.reset();
  for (Member& member : members_) member.endpoints.reset();
  for (Member& member : members_) member.backend.reset();
}

void CommWorld::Open() {
  for (Member& member : members_) {
    auto opened = member.backend->OpenEndpoints(member.plan);
    MUSTER_CHECK(opened.ok(), opened.status().ToString());
    member.endpoints = *std::move(opened);
  }
  for (int r = 0; r < size(); ++r) {
    for (int other = 0; other < size(); ++other) {
      if (other == r) continue;
      const Member& offering = members_[static_cast<size_t>(other)];
      Peer peer{.group = kGroup,
                .rank = GroupRank(other),
                .global_rank = offering.plan.rank,
                .incarnation = offering.plan.incarnation,
                .endpoint = {}};
      for (const Endpoint& endpoint : offering.endpoints->endpoints()) {
        if (!endpoint.to.has_value() || endpoint.to == GroupRank(r)) peer.endpoint = endpoint.bytes;
      }
      peers(r).push_back(std::move(peer));
    }
  }
}

std::vector<absl::Status> CommWorld::Build(absl::Duration deadline, const std::set<int>& absent) {
  std::vector<absl::Status> statuses(members_.size());
  std::vector<std::thread> threads;
  for (int r = 0; r < size(); ++r) {
    if (absent.count(r) > 0) continue;
    threads.emplace_back([this, r, deadline, &status = statuses[static_cast<size_t>(r)]] {
      Member& member = members_[static_cast<size_t>(r)];
      auto built = member.endpoints->Build(kGroup, member.peers, deadline);
      status = built.status();
      if (built.ok()) member.communicator = *std::move(built);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

void CommWorld::Form() {
  Open();
  for (const absl::Status& status : Build(kFormDeadline)) {
    MUSTER_CHECK(status.ok(), status.ToString());
  }
}

std::vector<absl::Status> CommWorld::Run(
    const std::function<absl::Status(Communicator&, int)>& body, const std::set<int>& absent) {
  std::vector<absl::Status> statuses(members_.size());
  std::vector<std::thread> threads;
  for (int r = 0; r < size(); ++r) {
    if (absent.count(r) > 0) continue;
    threads.emplace_back(
        [this, r, &body, &status = statuses[static_cast<size_t>(r)]] { status = body(at(r), r); });
  }
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

bool Eventually(const std::function<bool()>& holds) {
  constexpr absl::Duration kPause = absl::Milliseconds(2);
  const RealClock clock;
  Monitor monitor;
  const MonotonicTime deadline = clock.Now() + absl::Seconds(20);
  while (!holds()) {
    if (deadline < clock.Now()) return false;
    MonitorLock lock(&monitor);
    monitor.WaitUntil(clock.Now() + kPause);
  }
  return true;
}

}  // namespace muster
