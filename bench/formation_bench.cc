// How long a job takes to form: from the moment at which all its processes run until each of them
// has verified a first all_reduce on every group that it is in. Beside it, in turns, what a user
// would write instead.
//
// usage: formation_bench [--rounds N] [--sizes 4,8,16,32] [--peer COMMAND]
//
// COMMAND WORLD 1 forms the same groups some other way and prints "total": and "groups": with
// seconds, as JSON: from a common start of all its processes to the end of the slowest one's first
// all_reduce, and the groups' part of that.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/bench_worker.h"
#include "common/base/check.h"
#include "common/rpc/endpoint.h"
#include "common/support/log.h"
#include "google/protobuf/util/time_util.h"
#include "muster/v1/admin.grpc.pb.h"
#include "tests/testing/job_bed.h"

namespace muster {
namespace {

constexpr char kJob[] = "wan";

double Seconds(int64_t nanos) { return static_cast<double>(nanos) * 1e-9; }

// The sizes of the mesh, innermost last; each doubling of the world goes to the next of tp, sp,
// cfg, dp and pp.
JobSpec SpecOf(int32_t world) {
  std::vector<MeshDim> dims;
  const char* const names[] = {"tp", "sp", "cfg", "dp", "pp"};
  int32_t left = world;
  for (int i = 0; left > 1; left /= 2, ++i) dims.insert(dims.begin(), {names[i], 2});
  JobSpec spec;
  spec.name = kJob;
  spec.layout.world_size = world;
  MeshSpec mesh;
  mesh.name = "dit";
  mesh.dims = dims;
  spec.layout.meshes = {mesh};
  return spec;
}

absl::Status VerifyEveryGroup(Context& context) {
  for (const std::shared_ptr<GroupHandle>& group : context.Groups()) {
    std::vector<int64_t> value = {context.rank().value + 1};
    int64_t wanted = 0;
    for (const GlobalRank rank : group->ranks()) wanted += rank.value + 1;
    absl::Status status =
        group->AllReduce(BufferOf(value), BufferOf(value), ReduceOp::kSum)->Wait();
    if (!status.ok()) return status;
    if (value[0] != wanted) return absl::DataLossError("a wrong sum");
  }
  return absl::OkStatus();
}

// Waits for the start, forms the job and says when it was a member, when all was verified, and how
// much processor time that took.
int RunWorker() {
  const auto options = JoinOptions::FromEnvironment();
  MUSTER_CHECK(options.ok(), options.status().ToString());
  SayLine("ready");
  if (!AwaitLine()) return 0;
  const int64_t cpu = CpuNanos();
  const auto context = Join(*options);
  MUSTER_CHECK(context.ok(), context.status().ToString());
  const int64_t joined = MonotonicNanos();
  const absl::Status verified = VerifyEveryGroup(**context);
  MUSTER_CHECK(verified.ok(), verified.ToString());
  SayLine(absl::StrCat(joined, " ", MonotonicNanos(), " ", CpuNanos() - cpu));
  AwaitLine();
  return 0;
}

// When each step was over, in seconds since the start of all processes; the start of the processes
// is on its own.
struct Split {
  double processes = 0;  // To start them all.
  double hello = 0;      // All are known to the coordinator, and their seats are reserved.
  double prepared = 0;   // All have opened their endpoints, and know those of the others.
  double built = 0;      // All groups are connected and proved, and the epoch is committed.
  double joined = 0;     // The last Join() has returned.
  double verified = 0;   // The last all_reduce is verified.
  double cpu = 0;        // Processor time of all processes since the start.
};

// Since when each kind of event of the job has been, in seconds.
std::map<v1::EventKind, double> EventAges(const std::string& admins) {
  auto channel = MakeChannel(admins, {});
  MUSTER_CHECK(channel.ok(), channel.status().ToString());
  grpc::ClientContext context;
  v1::ListEventsRequest request;
  request.set_job(kJob);
  v1::ListEventsReply reply;
  const grpc::Status status =
      v1::AdminService::NewStub(*channel)->ListEvents(&context, request, &reply);
  MUSTER_CHECK(status.ok(), status.error_message());
  std::map<v1::EventKind, double> ages;
  for (const v1::Event& event : reply.items()) {
    ages[event.kind()] =
        Seconds(google::protobuf::util::TimeUtil::DurationToNanoseconds(event.age()));
  }
  return ages;
}

Split RunOnce(int32_t world) {
  JobBed bed;
  const absl::Status applied = bed.Apply(SpecOf(world));
  MUSTER_CHECK(applied.ok(), applied.ToString());
  const int64_t spawned = MonotonicNanos();
  std::vector<std::unique_ptr<BenchWorker>> workers;
  for (int i = 0; i < world; ++i) {
    workers.push_back(std::make_unique<BenchWorker>(bed.OptionsOf(i), "formation"));
  }
  for (const auto& worker : workers) (void)worker->Line();

  const int64_t start = MonotonicNanos();
  int64_t cpu = -CpuNanos();
  for (const auto& worker : workers) worker->Tell("go");
  int64_t joined = 0;
  int64_t verified = 0;
  for (const auto& worker : workers) {
    const std::vector<std::string> words = absl::StrSplit(worker->Line(), ' ');
    MUSTER_CHECK(words.size() == 3, "not a worker's line");
    joined = std::max<int64_t>(joined, std::atoll(words[0].c_str()));
    verified = std::max<int64_t>(verified, std::atoll(words[1].c_str()));
    cpu += std::atoll(words[2].c_str());
  }
  cpu += CpuNanos();
  auto ages = EventAges(bed.server().admin_address());
  const double now = Seconds(MonotonicNanos() - start);
  return {.processes = Seconds(start - spawned),
          .hello = now - ages[v1::EVENT_KIND_EPOCH_RESERVED],
          .prepared = now - ages[v1::EVENT_KIND_EPOCH_BUILDING],
          .built = now - ages[v1::EVENT_KIND_EPOCH_COMMITTED],
          .joined = Seconds(joined - start),
          .verified = Seconds(verified - start),
          .cpu = Seconds(cpu)};
}

// The number behind `key` in one line of JSON; 0 if it is not there.
double NumberAfter(const std::string& line, const std::string& key) {
  const size_t at = line.find(key);
  return at == std::string::npos ? 0 : std::strtod(line.c_str() + at + key.size(), nullptr);
}

// The peer's total; 0 if there is no peer.
double RunPeer(const std::string& peer, int32_t world) {
  if (peer.empty()) return 0;
  FILE* const pipe = popen(absl::StrCat(peer, " ", world, " 1").c_str(), "r");
  MUSTER_CHECK(pipe != nullptr, "cannot start the peer");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    text.push_back(static_cast<char>(c));
  const int status = pclose(pipe);
  const double total = NumberAfter(text, "\"total\": ");
  MUSTER_CHECK(status == 0 && total > 0, "the peer gave no total");
  return total;
}

template <typename Value>
double Median(const std::vector<Split>& splits, Value value) {
  std::vector<double> values;
  for (const Split& split : splits) values.push_back(value(split));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Says which step takes longest, and how much of the processors the job uses meanwhile.
void SayBound(int32_t world, const std::vector<Split>& splits) {
  const std::map<double, const char*> steps = {
      {Median(splits, [](const Split& s) { return s.hello; }), "join"},
      {Median(splits, [](const Split& s) { return s.prepared - s.hello; }), "prepare"},
      {Median(splits, [](const Split& s) { return s.built - s.prepared; }), "connect"},
      {Median(splits, [](const Split& s) { return s.joined - s.built; }), "commit"},
      {Median(splits, [](const Split& s) { return s.verified - s.joined; }), "verify"}};
  const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  const double total = Median(splits, [](const Split& s) { return s.verified; });
  const double busy = Median(splits, [&](const Split& s) { return s.cpu / s.verified / cores; });
  const auto& longest = *steps.rbegin();
  std::printf(
      "%d processes: '%s' is %.0f%% of the time; %.0f%% of %.0f cores are busy: bound by %s\n",
      world, longest.second, 100 * longest.first / total, 100 * busy, cores,
      busy > 0.7 ? "processor time" : "waits, not by processor time");
}

void Measure(const std::vector<int32_t>& sizes, int rounds, const std::string& peer) {
  std::printf("%9s %9s | %8s %8s %8s %8s %8s | %9s %9s %7s\n", "processes", "start", "join",
              "prepare", "connect", "commit", "verify", "total", "peer", "ratio");
  std::map<int32_t, std::vector<Split>> all;
  for (const int32_t world : sizes) {
    std::vector<Split>& splits = all[world];
    std::vector<double> peers;
    for (int round = 0; round < rounds; ++round) {
      splits.push_back(RunOnce(world));
      peers.push_back(RunPeer(peer, world));
    }
    std::sort(peers.begin(), peers.end());
    const double other = peers[peers.size() / 2];
    const double total = Median(splits, [](const Split& s) { return s.verified; });
    const auto ms = [&](auto value) { return 1000 * Median(splits, value); };
    std::printf("%9d %9.1f | %8.1f %8.1f %8.1f %8.1f %8.1f | %9.1f %9.1f %6.1fx\n", world,
                ms([](const Split& s) { return s.processes; }),
                ms([](const Split& s) { return s.hello; }),
                ms([](const Split& s) { return s.prepared - s.hello; }),
                ms([](const Split& s) { return s.built - s.prepared; }),
                ms([](const Split& s) { return s.joined - s.built; }),
                ms([](const Split& s) { return s.verified - s.joined; }), 1000 * total,
                1000 * other, other / total);
    std::fflush(stdout);
  }
  std::printf("milliseconds, medians of %d rounds; 'start' (fork to main) is not part of a total\n",
              rounds);
  for (const auto& [world, splits] : all) SayBound(world, splits);
}

int Main(const std::vector<std::string>& args) {
  std::vector<int32_t> sizes = {4, 8, 16, 32};
  int rounds = 5;
  std::string peer;
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    if (args[i] == "--rounds") rounds = std::max(1, std::atoi(args[i + 1].c_str()));
    if (args[i] == "--peer") peer = args[i + 1];
    if (args[i] != "--sizes") continue;
    sizes.clear();
    for (const std::string& word : std::vector<std::string>(absl::StrSplit(args[i + 1], ','))) {
      sizes.push_back(std::clamp(std::atoi(word.c_str()), 2, 32));
    }
  }
  Measure(sizes, rounds, peer);
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::SetLogLevel(muster::LogLevel::kError);
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && args[0] == muster::kBenchWorkerArgument) return muster::RunWorker();
  return muster::Main(args);
}
