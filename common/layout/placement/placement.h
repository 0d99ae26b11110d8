#ifndef MUSTER_COMMON_LAYOUT_PLACEMENT_PLACEMENT_H_
#define MUSTER_COMMON_LAYOUT_PLACEMENT_PLACEMENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/placement/pins.h"

// Which worker gets which rank. Pure: the same workers and the same rule give the same table, in
// whatever order the workers came.
namespace muster {

// One worker that could take a seat, by what is known of it.
struct PlacementCandidate {
  std::string id;                                        // unique
  std::optional<GlobalRank> wanted_rank = std::nullopt;  // asked for by the worker itself
  std::string host_id = {};                              // equal exactly on one host
  std::string hostname = {};                             // what orders the hosts
  int32_t device_index = -1;                             // on its host; -1: no device
  std::optional<int32_t> pod_index = std::nullopt;       // ordinal in a set of pods, 0 or more
  std::map<std::string, std::string> labels = {};        // topology: {"rack", "r7"}
};

enum class PlacementPolicy {
  kCompact,  // neighbours in rank are neighbours in place
  kSpread,   // neighbours in rank are as far apart as can be
  kPinned,   // as listed
};

// How seats are given.
struct PlacementRule {
  PlacementPolicy policy = PlacementPolicy::kCompact;

  // Names of labels, the largest domain first: {"rack", "nvlink"}. They come before all keys of the
  // worker itself. Workers without a label come after those that have it, and are one domain.
  std::vector<std::string> topology = {};

  // Of kPinned only; each rank at most once.
  std::vector<Pin> pins = {};
};

// Fills the vacant seats of `seats` (worker ids by rank; empty text: vacant) with `candidates`,
// none of whom holds one, and gives the new table. Seats stay vacant if there are too few
// candidates; candidates are left over if there are too few seats.
//
// A candidate that wants a vacant seat gets it; of several the one that comes first by id, as
// people count. A wanted seat that is taken or not there is ignored. The others fill what is left,
// ascending, in an order that the policy says.
//
// kCompact: by the labels of PlacementRule::topology, as people count (n2 before n10); by pod
// index, if each of the others has one; by host, as people count; by device index; by id, as people
// count. A host is called by the smallest of the names that its workers give it, so they stay
// together.
//
// kSpread: the order of kCompact, dealt out: over the domains of the first label in turn, inside
// each over those of the next, and at last over the hosts. Domains of uneven size run dry one after
// the other.
//
// kPinned: a pinned seat is given only to a candidate that its pin names, whoever else wants it; of
// several to the one that wants the seat, else to the first of the compact order. Pins that name a
// device choose first. A pinned seat that nobody fits stays vacant. The seats without pin are
// filled as by kCompact with those left.
std::vector<std::string> PlaceWorkers(std::vector<std::string> seats,
                                      std::vector<PlacementCandidate> candidates,
                                      const PlacementRule& rule);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PLACEMENT_PLACEMENT_H_
