#include "tests/common/wire/random_values.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

// Often small, sometimes from the far end.
int64_t RandomCounter(Random& random) {
  return random.Chance(80) ? random.Between(1, 1000) : random.Between(1, kMaxInt64);
}

uint64_t RandomNonZero(Random& random) { return std::max<uint64_t>(1, random.Next()); }

absl::Duration RandomTime(Random& random) {
  return absl::Seconds(random.Between(0, 30 * 24 * 3600 - 1)) +
         absl::Nanoseconds(random.Between(0, 999999999));
}

template <typename Id>
Id RandomRank(Random& random) {
  return Id(static_cast<int32_t>(random.Between(0, kWorldSizeMax - 1)));
}

std::string RandomBytes(Random& random, int64_t min, int64_t max) {
  std::string bytes(static_cast<size_t>(random.Between(min, max)), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Uniform(256));
  return bytes;
}

std::string MaybeText(Random& random, size_t max_bytes) {
  return random.Chance(30) ? "" : RandomText(random, max_bytes);
}

template <typename Enum>
Enum RandomEnum(Random& random, Enum last) {
  return static_cast<Enum>(random.Between(0, static_cast<int64_t>(last)));
}

BuildMode RandomMode(Random& random) { return RandomEnum(random, BuildMode::kNone); }

// Each entry made by `make(random)`.
template <typename Make>
auto RandomList(Random& random, int64_t max, Make make) {
  std::vector<decltype(make(random))> list;
  for (int64_t left = random.Between(0, max); left > 0; --left) list.push_back(make(random));
  return list;
}

GroupId RandomGroup(Random& random) {
  return {.kind = static_cast<int32_t>(random.Between(0, 100)),
          .index = static_cast<int32_t>(random.Between(0, kWorldSizeMax))};
}

std::string RandomJobName(Random& random) {
  return absl::StrCat("job-", random.Uniform(1000), random.Chance(50) ? "-b" : "");
}

HostFacts RandomHost(Random& random) {
  HostFacts host;
  host.host_id = RandomText(random, 256);
  host.hostname = MaybeText(random, 256);
  host.boot_id = MaybeText(random, 128);
  host.pid_namespace = MaybeText(random, 128);
  host.pid = random.Between(0, 1 << 22);
  host.process_start = random.Between(0, kMaxInt64);
  return host;
}

Endpoint RandomEndpoint(Random& random) {
  Endpoint endpoint;
  endpoint.group = RandomGroup(random);
  endpoint.from = RandomRank<GroupRank>(random);
  if (random.Chance(50)) endpoint.to = RandomRank<GroupRank>(random);
  endpoint.bytes = RandomBytes(random, 1, kEndpointBytesMax);
  return endpoint;
}

BuildFailure RandomFailure(Random& random) {
  BuildFailure failure;
  failure.group = MaybeText(random, 256);
  if (random.Chance(50)) failure.peer = RandomRank<GlobalRank>(random);
  failure.reason = MaybeText(random, kReasonBytesMax);
  return failure;
}

Holding RandomHolding(Random& random, int64_t epoch) {
  Holding holding;
  holding.epoch = Epoch(epoch);
  holding.state = RandomEnum(random, HoldingState::kFreeing);
  if (holding.state == HoldingState::kFailed) holding.failure = RandomFailure(random);
  holding.endpoints = RandomList(random, 3, RandomEndpoint);
  return holding;
}

Leak RandomLeak(Random& random) {
  return {.epoch = Epoch(RandomCounter(random)), .what = MaybeText(random, 512)};
}

LostMember RandomLost(Random& random) {
  LostMember member;
  member.rank = RandomRank<GlobalRank>(random);
  member.worker = RandomText(random, kWorkerIdBytesMax);
  member.hostname = MaybeText(random, 256);
  member.incarnation = Incarnation(RandomNonZero(random));
  member.cause = RandomEnum(random, LossCause::kEarlier);
  member.silent_for = RandomTime(random);
  member.doing = MaybeText(random, 512);
  return member;
}

Peer RandomPeer(Random& random) {
  Peer peer;
  peer.group = RandomGroup(random);
  peer.rank = RandomRank<GroupRank>(random);
  peer.global_rank = RandomRank<GlobalRank>(random);
  peer.incarnation = Incarnation(RandomNonZero(random));
  peer.endpoint = RandomBytes(random, 0, kEndpointBytesMax);
  return peer;
}

AttemptView RandomAttempt(Random& random) {
  AttemptView attempt;
  attempt.epoch = Epoch(RandomCounter(random));
  attempt.step = RandomEnum(random, AttemptStep::kRollback);
  attempt.rank = RandomRank<GlobalRank>(random);
  attempt.peers = RandomList(random, 4, RandomPeer);
  return attempt;
}

GroupTrace RandomTrace(Random& random) {
  GroupTrace trace;
  trace.epoch = Epoch(RandomCounter(random));
  trace.group = RandomText(random, 256);
  trace.trouble = random.Chance(50);
  uint64_t sequence = static_cast<uint64_t>(random.Between(1, 1000));
  for (int64_t left = random.Between(0, kRecordsMax); left > 0; --left) {
    trace.records.push_back({sequence++, RandomText(random, kOperationBytesMax),
                             RandomEnum(random, OperationState::kFailed), RandomTime(random)});
  }
  return trace;
}

ProcessProbe RandomProbe(Random& random) {
  return {.incarnation = Incarnation(RandomNonZero(random)),
          .pid = random.Between(1, 1 << 22),
          .process_start = random.Between(0, kMaxInt64)};
}

Deadlines RandomDeadlines(Random& random) {
  Deadlines d;
  for (absl::Duration* each :
       {&d.recovery, &d.lease, &d.heartbeat, &d.margin, &d.prepare, &d.build, &d.retire, &d.abort,
        &d.coordinator_lost, &d.join, &d.reattach_window, &d.reattach_grace, &d.ping, &d.verdict}) {
    *each = RandomTime(random);
  }
  return d;
}

DeadlineOverrides RandomOverrides(Random& random) {
  DeadlineOverrides o;
  for (std::optional<absl::Duration>* each : {&o.lease, &o.heartbeat, &o.prepare, &o.build,
                                              &o.retire, &o.abort, &o.coordinator_lost, &o.join}) {
    if (random.Chance(30)) *each = RandomTime(random);
  }
  return o;
}

MeshDim RandomDim(Random& random, std::string_view prefix, int index) {
  return {.name = absl::StrCat(std::string(prefix), index),
          .size = static_cast<int32_t>(random.Between(1, 1000))};
}

// In the order in which modes are read: dimensions, inner ones, flattened ones.
void AddMode(Random& random, const std::string& dim, MeshSpec& mesh) {
  if (!random.Chance(30)) return;
  const BuildMode mode = RandomMode(random);
  if (mode != mesh.host_mode) mesh.host_dim_modes.push_back({dim, mode});
}

PresetParam RandomParam(Random& random, int index) {
  PresetParam param = {.name = absl::StrCat("param", index), .value = random.Chance(50)};
  const int64_t number = random.Between(-1000, 1000);
  if (random.Chance(25)) param.value = number;
  if (random.Chance(25)) param.value = static_cast<double>(number) / 7;
  if (random.Chance(25)) param.value = MaybeText(random, 60);
  return param;
}

// Takes the place of dimensions in `mesh`.
void AddPreset(Random& random, MeshSpec& mesh) {
  PresetSpec& preset = mesh.preset.emplace();
  preset.name = absl::StrCat("preset", random.Between(0, 9));
  const auto params = static_cast<int>(random.Between(0, 4));
  for (int i = 0; i < params; ++i) preset.params.push_back(RandomParam(random, i));
  const auto modes = static_cast<int>(random.Between(0, 3));
  for (int i = 0; i < modes; ++i) {
    mesh.host_dim_modes.push_back({absl::StrCat("kind", i), RandomMode(random)});
  }
}

MeshSpec RandomMesh(Random& random, int index) {
  MeshSpec mesh;
  mesh.name = absl::StrCat("mesh", index);
  mesh.host_mode = RandomMode(random);
  if (random.Chance(50)) {
    mesh.first_rank = static_cast<int32_t>(random.Between(0, 100));
    mesh.rank_count = static_cast<int32_t>(random.Between(1, 100));
  }
  if (random.Chance(25)) {
    AddPreset(random, mesh);
    return mesh;
  }
  const auto dims = static_cast<int>(random.Between(1, 5));
  for (int i = 0; i < dims; ++i) {
    mesh.dims.push_back(RandomDim(random, "dim", i));
    AddMode(random, mesh.dims.back().name, mesh);
  }
  if (random.Chance(50)) {
    SplitSpec& split = mesh.split.emplace_back();
    split.dim = "dim0";
    for (int i = 0; i < 2; ++i) {
      split.into.push_back(RandomDim(random, "inner", i));
      AddMode(random, split.into.back().name, mesh);
    }
  }
  if (random.Chance(50)) {
    mesh.flatten.push_back({.name = "flat", .of = {"dim0", "dim1"}});
    AddMode(random, "flat", mesh);
  }
  return mesh;
}

ExplicitGroups RandomGroups(Random& random, int index) {
  ExplicitGroups groups;
  groups.name = absl::StrCat("groups", index);
  groups.host_mode = RandomMode(random);
  groups.ranks = RandomList(
      random, 3, [](Random& inner) { return RandomList(inner, 4, RandomRank<GlobalRank>); });
  return groups;
}

}  // namespace

std::string RandomText(Random& random, size_t max_bytes) {
  constexpr std::string_view kLetters[] = {
      "a", "Z", " ", "#", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  const size_t wanted = 1 + static_cast<size_t>(random.Uniform(max_bytes));
  std::string text = "x";
  while (true) {
    const std::string_view letter = kLetters[random.Uniform(std::size(kLetters))];
    if (text.size() + letter.size() > wanted) return text;
    text.append(letter);
  }
}

JobSpec RandomJobSpec(Random& random) {
  JobSpec spec;
  spec.name = RandomJobName(random);
  spec.layout.world_size = static_cast<int32_t>(random.Between(1, kWorldSizeMax));
  spec.layout.world_mode = RandomMode(random);
  const auto meshes = static_cast<int>(random.Between(0, 3));
  for (int i = 0; i < meshes; ++i) spec.layout.meshes.push_back(RandomMesh(random, i));
  const auto groups = static_cast<int>(random.Between(0, 2));
  for (int i = 0; i < groups; ++i) spec.layout.groups.push_back(RandomGroups(random, i));
  spec.spares = static_cast<int32_t>(random.Between(0, kSparesMax));
  spec.recovery = RandomTime(random);
  spec.deadline_overrides = RandomOverrides(random);
  return spec;
}

Report RandomReport(Random& random) {
  Report report;
  report.incarnation = Incarnation(RandomNonZero(random));
  report.number = RandomNonZero(random);
  if (random.Chance(80)) {
    report.store = StoreId(RandomNonZero(random));
    report.term = Term(RandomCounter(random));
    report.revision = Revision(RandomCounter(random));
    report.job = JobUid(RandomNonZero(random));
  }
  int64_t epoch = random.Between(1, 1000);
  for (int64_t left = random.Between(0, kHoldingsMax); left > 0; --left) {
    report.holdings.push_back(RandomHolding(random, epoch));
    epoch += random.Between(1, 5);
  }
  report.leaks = RandomList(random, kLeaksMax, RandomLeak);
  report.reset_peers = RandomList(random, 3, RandomRank<GlobalRank>);
  report.proved_dead =
      RandomList(random, 3, [](Random& r) { return Incarnation(RandomNonZero(r)); });
  report.pong = random.Chance(50) ? 0 : random.Next();
  report.doing = MaybeText(random, 512);
  report.traces = RandomList(random, 3, RandomTrace);
  return report;
}

Hello RandomHello(Random& random) {
  Hello hello;
  hello.job = RandomJobName(random);
  hello.worker = RandomText(random, kWorkerIdBytesMax);
  hello.session = SessionNumber(RandomCounter(random));
  hello.host = RandomHost(random);
  if (random.Chance(50)) {
    hello.device = {.uuid = RandomText(random, 128),
                    .index = static_cast<int32_t>(random.Between(0, 1000))};
  }
  if (random.Chance(50)) hello.wanted_rank = RandomRank<GlobalRank>(random);
  hello.join_deadline = RandomTime(random);
  hello.report = RandomReport(random);
  hello.incarnation = hello.report.incarnation;
  return hello;
}

Assignment RandomAssignment(Random& random) {
  Assignment assignment;
  assignment.store = StoreId(RandomNonZero(random));
  assignment.term = Term(RandomCounter(random));
  assignment.revision = Revision(RandomCounter(random));
  assignment.to = Incarnation(RandomNonZero(random));
  if (random.Chance(80)) assignment.job = JobUid(RandomNonZero(random));
  assignment.deleted = random.Chance(30);
  if (random.Chance(80)) {
    assignment.spec = std::make_shared<const JobSpec>(RandomJobSpec(random));
    assignment.generation = Generation(RandomCounter(random));
    assignment.deadlines = RandomDeadlines(random);
  }
  if (random.Chance(60)) {
    assignment.committed = Epoch(RandomCounter(random));
    assignment.committed_rank = RandomRank<GlobalRank>(random);
    assignment.lost = RandomList(random, 3, RandomLost);
  }
  if (random.Chance(60)) assignment.attempt = RandomAttempt(random);
  assignment.probes = RandomList(random, 3, RandomProbe);
  assignment.ping = random.Chance(50) ? 0 : random.Next();
  assignment.waiting_for = MaybeText(random, 1024);
  assignment.awaited = RandomList(random, 3, RandomLost);
  assignment.traced_groups = RandomList(random, 3, [](Random& r) { return RandomText(r, 256); });
  return assignment;
}

ErrorDetail RandomErrorDetail(Random& random) {
  ErrorDetail detail;
  detail.kind = AllKinds()[random.Uniform(AllKinds().size())];
  detail.job = MaybeText(random, 60);
  detail.group = MaybeText(random, 60);
  detail.epoch = Epoch(random.Chance(30) ? 0 : RandomCounter(random));
  detail.ranks = RandomList(random, 5, [](Random& r) {
    return GlobalRank(static_cast<int32_t>(
        r.Between(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())));
  });
  for (int32_t run = 0; run < 20 && random.Chance(80); ++run) detail.ranks.emplace_back(run);
  detail.workers = RandomList(random, 5, [](Random& r) { return RandomText(r, 100); });
  detail.hosts = RandomList(random, 5, [](Random& r) { return RandomText(r, 100); });
  detail.remedy = MaybeText(random, 200);
  return detail;
}

}  // namespace muster
