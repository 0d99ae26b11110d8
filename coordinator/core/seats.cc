#include "coordinator/core/seats.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/natural_order.h"

namespace muster::coordinator {
namespace {

// The name that stands for a host: the smallest among its workers, so that workers of one host stay
// together even if they call it differently.
std::map<std::string, std::string> HostNames(const std::vector<Candidate>& candidates) {
  std::map<std::string, std::string> names;
  for (const Candidate& candidate : candidates) {
    auto [it, inserted] = names.emplace(candidate.host_id, candidate.hostname);
    if (!inserted && CompareNatural(candidate.hostname, it->second) < 0) {
      it->second = candidate.hostname;
    }
  }
  return names;
}

void SortByPlace(std::vector<Candidate>& candidates) {
  const std::map<std::string, std::string> names = HostNames(candidates);
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.host_id != b.host_id) {
      const auto by_name = CompareNatural(names.at(a.host_id), names.at(b.host_id));
      if (by_name != 0) return by_name < 0;
      return CompareNatural(a.host_id, b.host_id) < 0;
    }
    if (a.device_index != b.device_index) return a.device_index < b.device_index;
    return CompareNatural(a.id, b.id) < 0;
  });
}

}  // namespace

std::vector<WorkerId> AllotSeats(std::vector<WorkerId> seats, std::vector<Candidate> candidates) {
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return CompareNatural(a.id, b.id) < 0; });
  std::vector<Candidate> others;
  for (Candidate& candidate : candidates) {
    const auto wanted = candidate.wanted_rank;
    const bool vacant = wanted.has_value() && wanted->value >= 0 &&
                        wanted->value < std::ssize(seats) &&
                        seats[static_cast<size_t>(wanted->value)].empty();
    if (vacant) {
      seats[static_cast<size_t>(wanted->value)] = candidate.id;
    } else {
      others.push_back(std::move(candidate));
    }
  }
  SortByPlace(others);
  auto next = others.begin();
  for (WorkerId& seat : seats) {
    if (next == others.end()) break;
    if (seat.empty()) seat = (next++)->id;
  }
  return seats;
}

}  // namespace muster::coordinator
