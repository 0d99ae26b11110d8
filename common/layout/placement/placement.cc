#include "common/layout/placement/placement.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <span>
#include <utility>

#include "common/base/natural_order.h"

namespace muster {
namespace {

// The name that stands for a host: the smallest among its workers, so that workers of one host stay
// together even if they call it differently.
std::map<std::string, std::string> HostNames(const std::vector<PlacementCandidate>& candidates) {
  std::map<std::string, std::string> names;
  for (const PlacementCandidate& candidate : candidates) {
    auto [it, inserted] = names.emplace(candidate.host_id, candidate.hostname);
    if (!inserted && CompareNatural(candidate.hostname, it->second) < 0) {
      it->second = candidate.hostname;
    }
  }
  return names;
}

// The value of a label; null if the worker has none of that name.
const std::string* LabelOf(const PlacementCandidate& candidate, const std::string& name) {
  const auto label = candidate.labels.find(name);
  return label == candidate.labels.end() ? nullptr : &label->second;
}

std::strong_ordering CompareLabel(const std::string* a, const std::string* b) {
  if (a == nullptr || b == nullptr) return (a == nullptr) <=> (b == nullptr);
  return CompareNatural(*a, *b);
}

void SortCompact(std::vector<PlacementCandidate>& candidates,
                 const std::vector<std::string>& topology) {
  const std::map<std::string, std::string> names = HostNames(candidates);
  const bool by_pod = std::all_of(
      candidates.begin(), candidates.end(),
      [](const PlacementCandidate& candidate) { return candidate.pod_index.has_value(); });
  const auto compare = [&](const PlacementCandidate& a, const PlacementCandidate& b) {
    for (const std::string& label : topology) {
      const auto by_label = CompareLabel(LabelOf(a, label), LabelOf(b, label));
      if (by_label != 0) return by_label;
    }
    if (by_pod && a.pod_index != b.pod_index) return *a.pod_index <=> *b.pod_index;
    if (a.host_id != b.host_id) {
      const auto by_name = CompareNatural(names.at(a.host_id), names.at(b.host_id));
      return by_name != 0 ? by_name : CompareNatural(a.host_id, b.host_id);
    }
    if (a.device_index != b.device_index) return a.device_index <=> b.device_index;
    return CompareNatural(a.id, b.id);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&compare](const PlacementCandidate& a, const PlacementCandidate& b) {
              return compare(a, b) < 0;
            });
}

// Where a worker is on level `level`: those of the labels, and after them that of its host.
std::pair<bool, std::string> DomainOf(const PlacementCandidate& candidate,
                                      const std::vector<std::string>& topology, size_t level) {
  if (level == topology.size()) return {true, candidate.host_id};
  const std::string* const value = LabelOf(candidate, topology[level]);
  return value == nullptr ? std::pair(false, std::string()) : std::pair(true, *value);
}

// Deals `candidates`, which are in compact order, out over the domains of `level` and those inside.
// Domains take turns in the order of their first workers.
std::vector<PlacementCandidate> DealOut(std::vector<PlacementCandidate> candidates,
                                        const std::vector<std::string>& topology, size_t level) {
  if (level > topology.size()) return candidates;
  std::map<std::pair<bool, std::string>, size_t> numbers;
  std::vector<std::vector<PlacementCandidate>> domains;
  const size_t count = candidates.size();
  for (PlacementCandidate& candidate : candidates) {
    const auto domain = numbers.emplace(DomainOf(candidate, topology, level), domains.size());
    if (domain.second) domains.emplace_back();
    domains[domain.first->second].push_back(std::move(candidate));
  }
  for (std::vector<PlacementCandidate>& domain : domains) {
    domain = DealOut(std::move(domain), topology, level + 1);
  }
  std::vector<PlacementCandidate> dealt;
  for (size_t turn = 0; dealt.size() < count; ++turn) {
    for (std::vector<PlacementCandidate>& domain : domains) {
      if (turn < domain.size()) dealt.push_back(std::move(domain[turn]));
    }
  }
  return dealt;
}

// The seats while they are being filled.
class SeatTable {
 public:
  SeatTable(std::vector<std::string> seats, std::span<const Pin> pins) : seats_(std::move(seats)) {
    for (const Pin& pin : pins) pins_.emplace(pin.rank, &pin);
  }

  bool IsVacant(GlobalRank rank) const {
    return rank.value >= 0 && rank.value < std::ssize(seats_) &&
           seats_[static_cast<size_t>(rank.value)].empty();
  }

  // Tells whether the pin of `rank`, if it has one, names `candidate`.
  bool Admits(GlobalRank rank, const PlacementCandidate& candidate) const {
    const auto pin = pins_.find(rank);
    return pin == pins_.end() || Fits(*pin->second, candidate);
  }

  void Give(GlobalRank rank, const PlacementCandidate& candidate) {
    seats_[static_cast<size_t>(rank.value)] = candidate.id;
  }

  // Gives vacant seats to those who want them, and leaves the others in `candidates`.
  void GiveWanted(std::vector<PlacementCandidate>& candidates) {
    std::sort(candidates.begin(), candidates.end(),
              [](const PlacementCandidate& a, const PlacementCandidate& b) {
                return CompareNatural(a.id, b.id) < 0;
              });
    std::erase_if(candidates, [this](const PlacementCandidate& candidate) {
      const std::optional<GlobalRank> wanted = candidate.wanted_rank;
      const bool gets = wanted.has_value() && IsVacant(*wanted) && Admits(*wanted, candidate);
      if (gets) Give(*wanted, candidate);
      return gets;
    });
  }

  // Gives vacant pinned seats to those whom the pins name, those with a device first.
  void GivePinned(std::vector<PlacementCandidate>& candidates) {
    for (const bool with_device : {true, false}) {
      for (const auto& [rank, pin] : pins_) {
        if (pin->device_index.has_value() != with_device || !IsVacant(rank)) continue;
        const auto fits = [wanted = pin](const PlacementCandidate& candidate) {
          return Fits(*wanted, candidate);
        };
        const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
        if (found == candidates.end()) continue;
        Give(rank, *found);
        candidates.erase(found);
      }
    }
  }

  // Gives the vacant seats without pin to `candidates`, one after the other.
  void GiveRest(const std::vector<PlacementCandidate>& candidates) {
    auto next = candidates.begin();
    for (GlobalRank rank(0); rank.value < std::ssize(seats_); ++rank.value) {
      if (next == candidates.end()) return;
      if (IsVacant(rank) && !pins_.contains(rank)) Give(rank, *next++);
    }
  }

  std::vector<std::string> Take() && { return std::move(seats_); }

 private:
  static bool Fits(const Pin& pin, const PlacementCandidate& candidate) {
    if (pin.device_index.has_value() && *pin.device_index != candidate.device_index) return false;
    return pin.host == candidate.hostname || pin.host == candidate.host_id;
  }

  std::vector<std::string> seats_;
  std::map<GlobalRank, const Pin*> pins_;
};

}  // namespace

std::vector<std::string> PlaceWorkers(std::vector<std::string> seats,
                                      std::vector<PlacementCandidate> candidates,
                                      const PlacementRule& rule) {
  const bool pinned = rule.policy == PlacementPolicy::kPinned;
  SeatTable table(std::move(seats), pinned ? std::span(rule.pins) : std::span<const Pin>());
  table.GiveWanted(candidates);
  SortCompact(candidates, rule.topology);
  if (pinned) table.GivePinned(candidates);
  if (rule.policy == PlacementPolicy::kSpread) {
    candidates = DealOut(std::move(candidates), rule.topology, 0);
  }
  table.GiveRest(candidates);
  return std::move(table).Take();
}

}  // namespace muster
