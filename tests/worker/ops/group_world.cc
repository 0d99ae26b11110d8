#include "tests/worker/ops/group_world.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace muster {
namespace {

constexpr absl::Duration kFormDeadline = absl::Seconds(60);
constexpr absl::Duration kTimeout = absl::Seconds(60);

GroupId IdOf(size_t group) { return {.kind = 2, .index = static_cast<int32_t>(group)}; }

Incarnation IncarnationOf(int member) { return Incarnation(500 + static_cast<uint64_t>(member)); }

}  // namespace

GroupWorld::GroupWorld(const MakeBackend& make_backend, int32_t members,
                       std::vector<std::vector<int>> groups)
    : groups_(std::move(groups)), members_(static_cast<size_t>(members)) {
  Open(make_backend);
  const std::string wrong = Run([this](int member) { return Build(member); });
  MUSTER_CHECK(wrong.empty(), wrong);
}

GroupWorld::~GroupWorld() {
  for (Member& member : members_) member.operations.clear();
  for (Member& member : members_) member.communicators.clear();
  for (Member& member : members_) member.endpoints.reset();
}

std::unique_ptr<GroupWorld> GroupWorld::OfOneGroup(const MakeBackend& make_backend, int32_t size) {
  std::vector<int> members;
  for (int member = size; member-- > 0;) members.push_back(member);
  return std::make_unique<GroupWorld>(make_backend, size,
                                      std::vector<std::vector<int>>{std::move(members)});
}

void GroupWorld::Open(const MakeBackend& make_backend) {
  for (int m = 0; m < members(); ++m) {
    EpochPlan plan{.job = JobUid(0x0b5),
                   .epoch = Epoch(2),
                   .rank = GlobalRankOf(m),
                   .incarnation = IncarnationOf(m)};
    for (size_t g = 0; g < groups_.size(); ++g) {
      const auto at = std::find(groups_[g].begin(), groups_[g].end(), m);
      if (at == groups_[g].end()) continue;
      plan.groups.push_back(
          {.membership = {.id = IdOf(g),
                          .rank = GroupRank(static_cast<int32_t>(at - groups_[g].begin())),
                          .size = static_cast<int32_t>(groups_[g].size())},
           .name = absl::StrCat("job/mesh.dim#", g)});
    }
    Member& member = members_[static_cast<size_t>(m)];
    member.backend = make_backend(&clock_);
    auto opened = member.backend->OpenEndpoints(plan);
    MUSTER_CHECK(opened.ok(), opened.status().ToString());
    member.endpoints = *std::move(opened);
  }
}

std::vector<Peer> GroupWorld::PeersOf(int member, size_t group) const {
  const std::vector<int>& ranks = groups_[group];
  const auto self = std::find(ranks.begin(), ranks.end(), member) - ranks.begin();
  std::vector<Peer> peers;
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r] == member) continue;
    Peer peer{.group = IdOf(group),
              .rank = GroupRank(static_cast<int32_t>(r)),
              .global_rank = GlobalRankOf(ranks[r]),
              .incarnation = IncarnationOf(ranks[r]),
              .endpoint = {}};
    const Member& offering = members_[static_cast<size_t>(ranks[r])];
    for (const Endpoint& endpoint : offering.endpoints->endpoints()) {
      const bool is_for_all = !endpoint.to.has_value();
      if (endpoint.group != IdOf(group)) continue;
      if (is_for_all || endpoint.to->value == self) peer.endpoint = endpoint.bytes;
    }
    peers.push_back(std::move(peer));
  }
  return peers;
}

std::string GroupWorld::Build(int m) {
  Member& member = members_[static_cast<size_t>(m)];
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (std::find(groups_[g].begin(), groups_[g].end(), m) == groups_[g].end()) continue;
    auto built = member.endpoints->Build(IdOf(g), PeersOf(m, g), kFormDeadline);
    if (!built.ok()) return built.status().ToString();
    member.communicators[g] = *std::move(built);
    member.operations[g] = std::make_unique<TensorOperations>(member.communicators[g], kTimeout);
  }
  return "";
}

std::string GroupWorld::Run(const std::function<std::string(int member)>& body) {
  std::vector<std::string> texts(members_.size());
  std::vector<std::thread> threads;
  for (int m = 0; m < members(); ++m) {
    threads.emplace_back([m, &body, &text = texts[static_cast<size_t>(m)]] { text = body(m); });
  }
  for (std::thread& thread : threads) thread.join();
  std::string all;
  for (size_t m = 0; m < texts.size(); ++m) {
    if (!texts[m].empty()) absl::StrAppend(&all, "member ", m, ": ", texts[m], "\n");
  }
  return all;
}

}  // namespace muster
