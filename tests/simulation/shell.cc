#include "tests/simulation/shell.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr std::string_view kContract = "an agent keeps to the contract of its effects";

}  // namespace

Shell::Shell(World& world, ProcessId process)
    : world_(world),
      process_(process),
      random_(world.plan.seed * 1000 + static_cast<uint64_t>(process)),
      one_endpoint_for_all_(random_.Chance(50)) {}

void Shell::BecomeReliable() { fail_next_ = hang_next_ = leak_next_ = hang_free_ = false; }

const EpochResources* Shell::Find(Epoch epoch) const {
  const auto it = epochs_.find(epoch);
  return it == epochs_.end() ? nullptr : &it->second;
}

EpochResources* Shell::Get(Epoch epoch, const char* effect) {
  const auto it = epochs_.find(epoch);
  if (it != epochs_.end()) return &it->second;
  world_.verdict.Break(kContract,
                       absl::StrCat(world_.processes.NameOf(process_), ": ", effect, " of epoch ",
                                    epoch.value, ", of which nothing was opened"));
  return nullptr;
}

GroupKey Shell::KeyOf(Epoch epoch, const EpochResources& resources, GroupId group) const {
  return {resources.job, epoch, group};
}

// Hands `event` to the agent `delay` after everything else about the epoch is answered.
void Shell::Answer(EpochResources& epoch, Micros delay, worker::Event event) {
  epoch.busy_until = std::max(epoch.busy_until, world_.queue.now()) + delay;
  world_.queue.At(epoch.busy_until,
                  [this, answer = std::move(event)] { world_.processes.Feed(process_, answer); });
}

void Shell::Open(const worker::OpenEndpoints& effect, JobUid job) {
  const auto [it, added] = epochs_.emplace(effect.epoch, EpochResources{});
  if (!added) {
    world_.verdict.Break("an epoch number is used once",
                         absl::StrCat(world_.processes.NameOf(process_), " opens epoch ",
                                      effect.epoch.value, " which it holds"));
    return;
  }
  EpochResources& resources = it->second;
  resources.job = job;
  resources.rank = effect.rank;
  resources.spec = effect.spec;
  resources.groups = effect.groups;
  resources.opening = true;
  if (std::exchange(fail_next_, false)) {
    return Fail(effect.epoch, resources, std::nullopt, "no port is free",
                world_.plan.shell.open.Draw(random_));
  }
  const Epoch epoch = effect.epoch;
  const uint64_t turn = ++resources.turn;
  world_.queue.After(world_.plan.shell.open.Draw(random_), [this, epoch, turn] {
    world_.processes.Run(process_, [this, epoch, turn] { FinishOpen(epoch, turn); });
  });
}

void Shell::FinishOpen(Epoch epoch, uint64_t turn) {
  const auto it = epochs_.find(epoch);
  if (it == epochs_.end() || it->second.turn != turn || !it->second.opening) return;
  it->second.opening = false;
  it->second.endpoints = true;
  Answer(it->second, 0, worker::EndpointsOpened{epoch, EndpointsOf(epoch, it->second)});
}

std::vector<Endpoint> Shell::EndpointsOf(Epoch epoch, const EpochResources& resources) const {
  std::vector<Endpoint> endpoints;
  const Incarnation incarnation = world_.processes.IncarnationOf(process_);
  for (const GroupMembership& group : resources.groups) {
    const GroupKey key = KeyOf(epoch, resources, group.id);
    if (one_endpoint_for_all_) {
      endpoints.push_back({group.id, group.rank, std::nullopt,
                           EndpointBytes(key, incarnation, group.rank, GroupRank(-1))});
      continue;
    }
    for (int32_t to = 0; to < group.size; ++to) {
      if (to == group.rank.value) continue;
      endpoints.push_back({group.id, group.rank, GroupRank(to),
                           EndpointBytes(key, incarnation, group.rank, GroupRank(to))});
    }
  }
  return endpoints;
}

void Shell::CheckOrder(const EpochResources& resources, const worker::BuildGroup& effect) {
  const size_t next = resources.communicators.size();
  const bool right = resources.endpoints && !resources.aborted && !resources.building.has_value() &&
                     next < resources.groups.size() && resources.groups[next] == effect.group &&
                     std::ssize(effect.peers) == effect.group.size - 1;
  if (right) return;
  world_.verdict.Break(kContract,
                       absl::StrCat(world_.processes.NameOf(process_), " builds a group of epoch ",
                                    effect.epoch.value, " out of order or without endpoints"));
}

void Shell::Build(const worker::BuildGroup& effect) {
  EpochResources* resources = Get(effect.epoch, "BuildGroup");
  if (resources == nullptr) return;
  CheckOrder(*resources, effect);
  resources->building = effect;
  const uint64_t turn = ++resources->turn;
  if (std::exchange(fail_next_, false)) {
    std::optional<GlobalRank> accused;
    if (random_.Chance(50)) accused = effect.peers.front().global_rank;
    return Fail(effect.epoch, *resources, accused, "connection refused",
                world_.plan.shell.build.Draw(random_));
  }
  const GroupKey key = KeyOf(effect.epoch, *resources, effect.group.id);
  const Micros within = world_.processes.ClockOf(process_).TrueSpan(effect.deadline);
  world_.queue.After(within, [this, key, turn] {
    world_.processes.Run(process_, [this, key, turn] { Expire(key, turn); });
  });
  if (std::exchange(hang_next_, false)) return;
  world_.hall.Enter(key, effect.group.size,
                    {process_, world_.processes.IncarnationOf(process_), resources->rank,
                     effect.group.rank, effect.peers});
}

void Shell::OnGroupStands(const GroupKey& key) {
  const auto it = epochs_.find(key.epoch);
  if (it == epochs_.end() || !it->second.building.has_value()) return;
  it->second.communicators.push_back(key.group);
  it->second.building.reset();
  Answer(it->second, world_.plan.shell.build.Draw(random_),
         worker::GroupBuilt{key.epoch, key.group});
  if (it->second.IsBuilt()) world_.checks.epochs.OnBuilt(process_, key, it->second);
}

void Shell::OnPeerGone(const GroupKey& key, GlobalRank peer) {
  const auto it = epochs_.find(key.epoch);
  if (it == epochs_.end() || it->second.job != key.job) return;
  if (!it->second.building.has_value() || it->second.building->group.id != key.group) return;
  world_.hall.Leave(key, process_);
  Fail(key.epoch, it->second, peer, "connection reset by peer", 0);
}

// The deadline of a build has come.
void Shell::Expire(const GroupKey& key, uint64_t turn) {
  const auto it = epochs_.find(key.epoch);
  if (it == epochs_.end() || it->second.turn != turn || !it->second.building.has_value()) return;
  const std::vector<GlobalRank> missing = world_.hall.Missing(key, it->second.building->peers);
  world_.hall.Leave(key, process_);
  std::optional<GlobalRank> accused;
  if (!missing.empty()) accused = missing.front();
  Fail(key.epoch, it->second, accused,
       absl::StrCat("ranks ", FormatIdRanges(missing), " did not connect in time"), 0);
}

void Shell::Fail(Epoch epoch, EpochResources& resources, std::optional<GlobalRank> peer,
                 const std::string& why, Micros delay) {
  ++resources.turn;
  resources.opening = false;
  resources.building.reset();
  Answer(resources, delay, worker::BuildFailed{epoch, {"", peer, why}});
}

void Shell::Abort(const worker::AbortEpoch& effect) {
  EpochResources* resources = Get(effect.epoch, "AbortEpoch");
  if (resources == nullptr) return;
  resources->aborted = true;
  if (resources->building.has_value()) {
    world_.hall.Leave(KeyOf(effect.epoch, *resources, resources->building->group.id), process_);
  }
  if (resources->building.has_value() || resources->opening) {
    Fail(effect.epoch, *resources, std::nullopt, "aborted", world_.plan.shell.free.Draw(random_));
  }
}

void Shell::Free(const worker::FreeGroup& effect) {
  EpochResources* resources = Get(effect.epoch, "FreeGroup");
  if (resources == nullptr) return;
  const auto& standing = resources->communicators;
  const auto found = std::find(standing.begin(), standing.end(), effect.group);
  const bool in_order =
      found == standing.end() || std::all_of(found + 1, standing.end(), [&](GroupId later) {
        const auto& asked = resources->asked_back;
        return std::find(asked.begin(), asked.end(), later) != asked.end();
      });
  resources->asked_back.push_back(effect.group);
  if (!resources->aborted || !in_order) {
    world_.verdict.Break(kContract,
                         absl::StrCat(world_.processes.NameOf(process_), " frees a group of epoch ",
                                      effect.epoch.value, " out of order or before waking it"));
  }
  if (std::exchange(hang_free_, false)) {
    resources->stuck = true;
    return;
  }
  std::string leaked;
  if (std::exchange(leak_next_, false)) {
    resources->stuck = true;
    leaked = "64 KiB of device memory";
  }
  const Epoch epoch = effect.epoch;
  const GroupId group = effect.group;
  // What is given back is gone before the answer of the same moment says so.
  const Micros delay = world_.plan.shell.free.Draw(random_);
  const Micros at = std::max(resources->busy_until, world_.queue.now()) + delay;
  if (leaked.empty()) world_.queue.At(at, [this, epoch, group] { Erase(epoch, group); });
  Answer(*resources, delay, worker::GroupFreed{epoch, group, leaked});
}

void Shell::Erase(Epoch epoch, GroupId group) {
  const auto it = epochs_.find(epoch);
  if (it != epochs_.end()) std::erase(it->second.communicators, group);
}

void Shell::Close(const worker::CloseEndpoints& effect) {
  EpochResources* resources = Get(effect.epoch, "CloseEndpoints");
  if (resources == nullptr) return;
  const Epoch epoch = effect.epoch;
  const Micros delay = world_.plan.shell.free.Draw(random_);
  const Micros at = std::max(resources->busy_until, world_.queue.now()) + delay;
  world_.queue.At(at, [this, epoch] { FinishClose(epoch); });
  if (std::exchange(hang_free_, false)) {
    resources->stuck = true;
    return;
  }
  Answer(*resources, delay, worker::EndpointsClosed{epoch});
}

void Shell::FinishClose(Epoch epoch) {
  const auto it = epochs_.find(epoch);
  if (it == epochs_.end()) return;
  it->second.endpoints = false;
  if (!it->second.stuck) {
    if (!it->second.communicators.empty()) {
      world_.verdict.Break(
          "teardown gives everything back",
          absl::StrCat(world_.processes.NameOf(process_), " closed epoch ", epoch.value, " with ",
                       it->second.communicators.size(), " communicators that it never freed"));
    }
    ++world_.tally.epochs_freed;
  }
  epochs_.erase(it);
}

}  // namespace muster::sim
