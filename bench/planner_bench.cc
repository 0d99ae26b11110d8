// What planning costs, beside the same rule written plainly in Python: the groups of one rank, the
// full table, and what changes between two layouts.
//
// usage: planner_bench [PEER [ROUNDS]]   default bench/peer_planner.py, 101 rounds
//
// Run from the root of the tree. Times are medians. Without python3 or the file the peer is left
// out.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/layout/diff.h"
#include "common/layout/layout.h"
#include "common/layout/queries.h"

namespace {

// Bytes that were asked of the heap and how often; one thread only.
int64_t allocated_bytes = 0;
int64_t allocations = 0;

void* Count(std::size_t size) {
  allocated_bytes += static_cast<int64_t>(size);
  ++allocations;
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Count(size); }
void* operator new[](std::size_t size) { return Count(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

// A grid with ten kinds of groups: the world, five dims and four flattened ones.
Layout Grid(int32_t dp, int32_t cfg, int32_t pp, int32_t sp, int32_t tp) {
  LayoutSpec spec;
  spec.world_size = dp * cfg * pp * sp * tp;
  MeshSpec mesh;
  mesh.name = "dit";
  mesh.dims = {{"dp", dp}, {"cfg", cfg}, {"pp", pp}, {"sp", sp}, {"tp", tp}};
  mesh.flatten = {{.name = "sp-tp", .of = {"sp", "tp"}},
                  {.name = "cfg-dp", .of = {"dp", "cfg"}},
                  {.name = "pp-tp", .of = {"pp", "tp"}},
                  {.name = "ep", .of = {"dp", "cfg", "sp", "tp"}}};
  spec.meshes = {mesh};
  absl::StatusOr<Layout> layout = Layout::Create(std::move(spec));
  MUSTER_CHECK(layout.ok(), layout.status().ToString());
  return *std::move(layout);
}

struct Figure {
  double median_us = 0;
  int64_t bytes = 0;        // asked of the heap in one round
  int64_t allocations = 0;  // in one round
};

// Times `work`, which gives a number so that it is not left out.
template <typename Work>
Figure Measure(int rounds, const Work& work) {
  Figure figure;
  std::vector<double> times;
  volatile int64_t sink = 0;
  for (int round = 0; round < rounds; ++round) {
    allocated_bytes = 0;
    allocations = 0;
    const Clock::time_point start = Clock::now();
    sink = work();
    const Clock::duration took = Clock::now() - start;
    figure.bytes = allocated_bytes;
    figure.allocations = allocations;
    times.push_back(std::chrono::duration<double, std::micro>(took).count());
  }
  (void)sink;
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  figure.median_us = times[times.size() / 2];
  return figure;
}

// What the peer prints: a name and microseconds on each line. Empty if it cannot be run.
std::map<std::string, double> RunPeer(const std::string& path) {
  std::map<std::string, double> medians;
  FILE* const pipe = popen(("python3 " + path + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return medians;
  char name[64];
  double median = 0;
  while (std::fscanf(pipe, "%63s %lf", name, &median) == 2) medians[name] = median;
  pclose(pipe);
  return medians;
}

// One line; `wanted_us` is what the figure should stay under.
void Print(const char* what, const Figure& figure, double wanted_us,
           const std::map<std::string, double>& peer, const std::string& peer_name) {
  std::printf("%-44s %10.1f us  %8lld B in %6lld  want < %6.0f us: %s", what, figure.median_us,
              static_cast<long long>(figure.bytes), static_cast<long long>(figure.allocations),
              wanted_us, figure.median_us < wanted_us ? "yes" : "NO");
  const auto median = peer.find(peer_name);
  if (median != peer.end()) {
    std::printf("  python %12.1f us  ratio %.0f", median->second,
                median->second / figure.median_us);
  }
  std::printf("\n");
}

int64_t SizeOf(const std::vector<GroupDescriptor>& groups) {
  int64_t sum = 0;
  for (const GroupDescriptor& group : groups) sum += group.place.size;
  return sum;
}

int Main(int argc, char** argv) {
  const std::string peer_path = argc > 1 ? argv[1] : "bench/peer_planner.py";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 101;
  MUSTER_CHECK(rounds > 0, "rounds of 1 or more");
  const std::map<std::string, double> peer = RunPeer(peer_path);
  if (peer.empty()) std::printf("no peer: '%s' does not run\n", peer_path.c_str());

  const Layout wide = Grid(64, 2, 8, 8, 8);
  const GlobalRank rank(4095);
  Print("one rank's groups, W 65536, 10 descriptors",
        Measure(rounds, [&] { return SizeOf(DescribeGroups(wide, rank)); }), 50, peer,
        "own_groups");
  const std::vector<GroupDescriptor> own = DescribeGroups(wide, rank);
  Print("  materialised, all but the world",
        Measure(rounds,
                [&] {
                  int64_t sum = 0;
                  for (size_t kind = 1; kind < own.size(); ++kind)
                    sum += std::ssize(Materialize(own[kind]));
                  return sum;
                }),
        50, {}, "");
  Print("  the world materialised",
        Measure(rounds, [&] { return std::ssize(Materialize(own[0])); }), 1000, {}, "");

  const Layout square = Grid(16, 2, 8, 8, 8);
  Print("full table, W 16384, 10 kinds",
        Measure(rounds, [&] { return std::ssize(RankTable(square)); }), 100e3, peer, "full_table");

  const Layout from = Grid(4, 2, 8, 8, 8);
  const Layout to = Grid(8, 2, 8, 4, 8);
  Print("diff of two layouts, W 4096, 10 kinds",
        Measure(rounds, [&] { return std::ssize(Diff(from, to, {}).Actions()); }), 50e3, peer,
        "diff");
  Print("  with the parent of each built group",
        Measure(rounds,
                [&] {
                  const LayoutDiff diff = Diff(from, to, {});
                  int64_t parents = 0;
                  for (const GroupChange& change : diff.Actions()) {
                    if (change.action == GroupAction::kBuild && diff.ParentOf(*change.to))
                      ++parents;
                  }
                  return parents;
                }),
        50e3, {}, "");
  Print("  of one rank",
        Measure(rounds, [&] { return std::ssize(Diff(from, to, {}).ActionsOf(rank)); }), 50, {},
        "");
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) { return muster::Main(argc, argv); }
