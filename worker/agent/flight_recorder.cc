#include "worker/agent/flight_recorder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/string_view.h"

namespace muster::worker {
namespace {

// A number for a list of counts, the same on every machine (FNV-1a over the numbers).
uint64_t NumberOf(const std::vector<int64_t>& counts) {
  uint64_t number = 14695981039346656037U;
  for (const int64_t count : counts) {
    number = (number ^ static_cast<uint64_t>(count)) * 1099511628211U;
  }
  return number;
}

}  // namespace

CallFacts FactsOf(const OperationCall& call, GroupRank self) {
  CallFacts facts{.operation = call.operation, .dtype = ElementType(call), .root = call.root};
  if (Reduces(call.operation)) facts.reduce = call.reduce;
  switch (call.operation) {
    case Operation::kAllGatherV:
    case Operation::kReduceScatterV:
      facts.shares = NumberOf(call.counts);
      break;
    case Operation::kScatter:
    case Operation::kReduceScatter:
      facts.count = call.output.count;
      break;
    case Operation::kBroadcast:
      facts.count = std::max(call.input.count, call.output.count);
      break;
    case Operation::kAllToAllV:  // Each pair has a size of its own.
    case Operation::kBarrier:
      break;
    default:
      facts.count = call.input.count;
  }
  if (!HasRoot(call.operation)) facts.root = self;
  return facts;
}

std::string ToText(const CallFacts& facts) {
  std::string text(OperationName(facts.operation));
  if (facts.operation == Operation::kBarrier) return text;
  if (Reduces(facts.operation)) absl::StrAppend(&text, " ", ToAbsl(ReduceOpName(facts.reduce)));
  absl::StrAppend(&text, " ", ToAbsl(DTypeName(facts.dtype)));
  if (SharesDiffer(facts.operation)) {
    absl::StrAppend(&text, " in shares ", absl::Hex(facts.shares));
  } else if (facts.operation != Operation::kAllToAllV) {
    absl::StrAppend(&text, " x", facts.count);
  }
  if (HasRoot(facts.operation)) {
    const bool from =
        facts.operation == Operation::kBroadcast || facts.operation == Operation::kScatter;
    absl::StrAppend(&text, from ? " from" : " to", " group rank ", facts.root.value);
  }
  return text;
}

void FlightRing::Begin(uint64_t sequence, const CallFacts& facts, Work* work, MonotonicTime now) {
  MonitorLock lock(&monitor_);
  entries_[sequence % kRecordsMax] = {sequence, facts, now, work, false};
  newest_ = sequence;
}

void FlightRing::End(uint64_t sequence, const absl::Status& outcome) {
  MonitorLock lock(&monitor_);
  Entry& entry = entries_[sequence % kRecordsMax];
  if (entry.sequence != sequence) return;
  entry.running = nullptr;
  entry.failed = !outcome.ok();
}

OperationState FlightRing::StateOf(const Entry& entry) {
  if (entry.running != nullptr) {
    // Over, though nobody has waited for it.
    if (!entry.running->IsDone()) return OperationState::kRunning;
    return entry.running->Wait().ok() ? OperationState::kDone : OperationState::kFailed;
  }
  return entry.failed ? OperationState::kFailed : OperationState::kDone;
}

GroupTrace FlightRing::Trace(MonotonicTime now) const {
  MonitorLock lock(&monitor_);
  GroupTrace trace{.epoch = epoch_, .group = group_};
  const uint64_t first = newest_ >= kRecordsMax ? newest_ - kRecordsMax + 1 : 1;
  for (uint64_t sequence = first; sequence <= newest_; ++sequence) {
    const Entry& entry = entries_[sequence % kRecordsMax];
    OperationRecord record{sequence, ToText(entry.facts), StateOf(entry), now - entry.called};
    record.age = std::max(record.age, absl::ZeroDuration());
    trace.trouble |= record.state == OperationState::kRunning && record.age >= kSlowOperation;
    if (sequence == newest_) trace.trouble |= record.state == OperationState::kFailed;
    trace.records.push_back(std::move(record));
  }
  return trace;
}

std::shared_ptr<FlightRing> FlightRecorder::Open(Epoch epoch, const std::string& group) {
  auto ring = std::make_shared<FlightRing>(epoch, group);
  MonitorLock lock(&monitor_);
  std::erase_if(rings_, [](const std::weak_ptr<FlightRing>& known) { return known.expired(); });
  rings_.push_back(ring);
  return ring;
}

std::vector<GroupTrace> FlightRecorder::Traces(Epoch epoch, const std::vector<std::string>& wanted,
                                               MonotonicTime now) {
  std::vector<std::shared_ptr<FlightRing>> rings;
  {
    MonitorLock lock(&monitor_);
    for (const std::weak_ptr<FlightRing>& known : rings_) {
      auto ring = known.lock();
      if (ring != nullptr && ring->epoch() == epoch) rings.push_back(std::move(ring));
    }
  }
  std::vector<GroupTrace> traces;
  for (const std::shared_ptr<FlightRing>& ring : rings) {
    GroupTrace trace = ring->Trace(now);
    const bool asked = std::find(wanted.begin(), wanted.end(), ring->group()) != wanted.end();
    if (trace.trouble || asked) traces.push_back(std::move(trace));
    if (traces.size() == kTracesMax) break;
  }
  return traces;
}

}  // namespace muster::worker
