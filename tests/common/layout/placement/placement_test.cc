#include "common/layout/placement/placement.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/natural_order.h"
#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using ::testing::ElementsAre;

using Seats = std::vector<std::string>;

PlacementCandidate On(const std::string& id, const std::string& host, int32_t device) {
  return {.id = id, .host_id = host + "-id", .hostname = host, .device_index = device};
}

PlacementCandidate Wanting(int32_t rank, PlacementCandidate candidate) {
  candidate.wanted_rank = GlobalRank(rank);
  return candidate;
}

PlacementCandidate InPod(int32_t index, PlacementCandidate candidate) {
  candidate.pod_index = index;
  return candidate;
}

PlacementCandidate In(const std::string& label, const std::string& value,
                      PlacementCandidate candidate) {
  candidate.labels[label] = value;
  return candidate;
}

// One row of the table: who is there, by which rule, and who gets which rank.
struct Case {
  std::string name;
  PlacementRule rule;
  Seats seats;
  std::vector<PlacementCandidate> candidates;
  Seats wanted;
};

PlacementRule Compact(std::vector<std::string> topology = {}) {
  return {.topology = std::move(topology)};
}

PlacementRule Spread(std::vector<std::string> topology = {}) {
  return {.policy = PlacementPolicy::kSpread, .topology = std::move(topology)};
}

PlacementRule Pinned(std::vector<Pin> pins) {
  return {.policy = PlacementPolicy::kPinned, .pins = std::move(pins)};
}

Pin PinTo(int32_t rank, const std::string& host, std::optional<int32_t> device = std::nullopt) {
  return {.rank = GlobalRank(rank), .host = host, .device_index = device};
}

// Hosts of three, one and two devices.
std::vector<PlacementCandidate> UnevenHosts() {
  return {On("f", "n2", 0), On("a", "n10", 1), On("c", "n1", 2),
          On("d", "n1", 0), On("b", "n10", 0), On("e", "n1", 1)};
}

std::vector<Case> CompactCases() {
  return {
      {"hosts go by number and devices by index",
       Compact(),
       Seats(6),
       UnevenHosts(),
       {"d", "e", "c", "f", "b", "a"}},
      {"workers without a device go by id as people count",
       Compact(),
       Seats(3),
       {On("w10", "n1", -1), On("w9", "n1", -1), On("w11", "n1", -1)},
       {"w9", "w10", "w11"}},
      {"a wanted rank comes before all keys",
       Compact(),
       Seats(3),
       {On("a", "n1", 0), On("b", "n1", 1), Wanting(0, On("c", "n2", 0))},
       {"c", "a", "b"}},
      {"of two that want a rank the first by id gets it",
       Compact(),
       Seats(3),
       {Wanting(2, On("w10", "n1", 0)), Wanting(2, On("w9", "n2", 0)), On("a", "n3", 0)},
       {"w10", "a", "w9"}},
      {"a wanted rank that is not there is ignored",
       Compact(),
       Seats(2),
       {Wanting(2, On("b", "n2", 0)), Wanting(-1, On("a", "n1", 0))},
       {"a", "b"}},
      {"holders are not moved",
       Compact(),
       {"", "kept", ""},
       {Wanting(1, On("b", "n2", 0)), On("a", "n1", 0)},
       {"a", "kept", "b"}},
      {"too few leave seats vacant", Compact(), Seats(3), {On("a", "n1", 0)}, {"a", "", ""}},
      {"too many are left over", Compact(), Seats(1), {On("b", "n1", 1), On("a", "n1", 0)}, {"a"}},
      {"pod indices come before hosts if all have one",
       Compact(),
       Seats(3),
       {InPod(10, On("a", "n1", 0)), InPod(9, On("b", "n3", 0)), InPod(11, On("c", "n2", 0))},
       {"b", "a", "c"}},
      {"workers of one pod go by device",
       Compact(),
       Seats(4),
       {InPod(1, On("a", "n1", 0)), InPod(0, On("b", "n2", 1)), InPod(0, On("c", "n2", 0)),
        InPod(1, On("d", "n1", 1))},
       {"c", "b", "a", "d"}},
      {"pod indices do not count if one is missing",
       Compact(),
       Seats(3),
       {InPod(2, On("a", "n1", 0)), InPod(0, On("b", "n3", 0)), On("c", "n2", 0)},
       {"a", "c", "b"}},
      {"a pod index may be missing from one that wants a rank",
       Compact(),
       Seats(3),
       {InPod(1, On("a", "n1", 0)), InPod(0, On("b", "n3", 0)), Wanting(1, On("c", "n2", 0))},
       {"b", "c", "a"}},
  };
}

std::vector<Case> TopologyCases() {
  return {
      {"the largest domain comes first",
       Compact({"rack", "nvlink"}),
       Seats(4),
       {In("rack", "r2", In("nvlink", "a", On("a", "n1", 0))),
        In("rack", "r1", In("nvlink", "z", On("b", "n2", 0))),
        In("rack", "r1", In("nvlink", "y", On("c", "n4", 0))),
        In("rack", "r10", In("nvlink", "b", On("d", "n3", 0)))},
       {"c", "b", "a", "d"}},
      {"labels come before pod indices",
       Compact({"rack"}),
       Seats(2),
       {In("rack", "r2", InPod(0, On("a", "n1", 0))), In("rack", "r1", InPod(1, On("b", "n2", 0)))},
       {"b", "a"}},
      {"workers without the label come last",
       Compact({"rack"}),
       Seats(3),
       {On("a", "n1", 0), In("rack", "r9", On("b", "n3", 0)), In("rack", "", On("c", "n4", 0))},
       {"c", "b", "a"}},
      {"labels that the rule does not name do not count",
       Compact(),
       Seats(2),
       {In("rack", "r2", On("a", "n1", 0)), In("rack", "r1", On("b", "n2", 0))},
       {"a", "b"}},
      {"spread deals out over uneven hosts",
       Spread(),
       Seats(6),
       UnevenHosts(),
       {"d", "f", "b", "e", "a", "c"}},
      {"spread deals out over racks and then over their hosts",
       Spread({"rack"}),
       Seats(6),
       {In("rack", "r1", On("a", "n1", 0)), In("rack", "r1", On("b", "n1", 1)),
        In("rack", "r1", On("c", "n2", 0)), In("rack", "r2", On("d", "n3", 0)),
        In("rack", "r2", On("e", "n3", 1)), In("rack", "r2", On("f", "n4", 0))},
       {"a", "d", "c", "f", "b", "e"}},
      {"spread takes hosts in the order of their pods",
       Spread(),
       Seats(4),
       {InPod(3, On("a", "n1", 0)), InPod(1, On("b", "n1", 1)), InPod(0, On("c", "n2", 0)),
        InPod(2, On("d", "n2", 1))},
       {"c", "b", "d", "a"}},
  };
}

std::vector<Case> PinnedCases() {
  return {
      {"pins choose a device, a host by name or a host by id",
       Pinned({PinTo(0, "n2", 1), PinTo(1, "n1"), PinTo(2, "n2-id")}),
       Seats(3),
       {On("a", "n1", 0), On("b", "n2", 0), On("c", "n2", 1)},
       {"c", "a", "b"}},
      {"pins with a device choose first",
       Pinned({PinTo(0, "n1"), PinTo(1, "n1", 0)}),
       Seats(2),
       {On("a", "n1", 0), On("b", "n1", 1)},
       {"b", "a"}},
      {"a pinned seat that nobody fits stays vacant",
       Pinned({PinTo(0, "n9")}),
       Seats(3),
       {On("b", "n2", 0), On("a", "n1", 0)},
       {"", "a", "b"}},
      {"a pin is stronger than a wish",
       Pinned({PinTo(0, "n2")}),
       Seats(2),
       {Wanting(0, On("a", "n1", 0)), On("b", "n2", 0)},
       {"b", "a"}},
      {"of those whom a pin names the one that wants the seat gets it",
       Pinned({PinTo(1, "n1")}),
       Seats(2),
       {On("a", "n1", 0), Wanting(1, On("b", "n1", 1))},
       {"a", "b"}},
      {"who fits only a pin of a held seat takes a seat without pin",
       Pinned({PinTo(0, "n1")}),
       {"kept", ""},
       {On("a", "n1", 0)},
       {"kept", "a"}},
      {"pins do not count under another policy",
       {.pins = {PinTo(0, "n2")}},
       Seats(2),
       {On("a", "n1", 0), On("b", "n2", 0)},
       {"a", "b"}},
  };
}

void ExpectPlaced(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    std::vector<PlacementCandidate> candidates = each.candidates;
    const auto by_id = [](const PlacementCandidate& a, const PlacementCandidate& b) {
      return a.id < b.id;
    };
    std::sort(candidates.begin(), candidates.end(), by_id);
    do {
      ASSERT_EQ(PlaceWorkers(each.seats, candidates, each.rule), each.wanted) << each.name;
    } while (std::next_permutation(candidates.begin(), candidates.end(), by_id));
  }
}

TEST(PlacementTest, CompactGivesTheTableInEveryOrderOfArrival) { ExpectPlaced(CompactCases()); }

TEST(PlacementTest, TopologyGivesTheTableInEveryOrderOfArrival) { ExpectPlaced(TopologyCases()); }

TEST(PlacementTest, PinsGiveTheTableInEveryOrderOfArrival) { ExpectPlaced(PinnedCases()); }

TEST(PlacementTest, WorkersOfOneHostStayTogetherWhateverItIsCalled) {
  std::vector<PlacementCandidate> workers = {On("a", "gpu-9", 0), On("b", "gpu-5", 0),
                                             On("c", "gpu-1", 1)};
  workers[2].host_id = workers[0].host_id;
  EXPECT_THAT(PlaceWorkers(Seats(3), workers, Compact()), ElementsAre("a", "c", "b"));
}

TEST(PlacementTest, ManyHostsOfAnyShapeGiveOneTableWhateverTheOrder) {
  Random random(7);
  std::vector<PlacementCandidate> workers;
  for (int host = 0; host < 40; ++host) {
    const auto devices = static_cast<int32_t>(1 + random.Uniform(8));
    for (int32_t device = 0; device < devices; ++device) {
      workers.push_back(
          In("rack", "r" + std::to_string(host % 3),
             On("w" + std::to_string(workers.size()), "n" + std::to_string(host), device)));
    }
  }
  for (const PlacementRule& rule : {Compact(), Compact({"rack"}), Spread(), Spread({"rack"})}) {
    const Seats first = PlaceWorkers(Seats(workers.size()), workers, rule);
    Seats sorted = first;
    std::sort(sorted.begin(), sorted.end(), NaturalLess());
    ASSERT_EQ(sorted.front(), "w0");
    ASSERT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (int shuffle = 0; shuffle < 20; ++shuffle) {
      for (size_t i = workers.size(); i > 1; --i) {
        std::swap(workers[i - 1], workers[random.Uniform(i)]);
      }
      ASSERT_EQ(PlaceWorkers(Seats(workers.size()), workers, rule), first);
    }
  }
}

}  // namespace
}  // namespace muster
