#include "common/wire/trace.h"

#include <utility>

#include "common/wire/limits.h"
#include "common/wire/text.h"

namespace muster {
namespace {

constexpr std::pair<v1::OperationState, OperationState> kOperationStates[] = {
    {v1::OPERATION_STATE_RUNNING, OperationState::kRunning},
    {v1::OPERATION_STATE_DONE, OperationState::kDone},
    {v1::OPERATION_STATE_FAILED, OperationState::kFailed},
};

OperationRecord ReadRecord(WireReader& reader, const v1::OperationRecord& wire) {
  OperationRecord record;
  record.sequence = static_cast<uint64_t>(reader.Int64("sequence", wire.sequence(), 1));
  record.call = reader.Text("call", wire.call(), 1, kOperationBytesMax);
  record.state =
      reader.Enum<v1::OperationState, OperationState>("state", wire.state(), kOperationStates);
  record.age = reader.Time("age", wire.has_age(), wire.age());
  return record;
}

}  // namespace

v1::OperationRecord ToProto(const OperationRecord& record) {
  v1::OperationRecord wire;
  wire.set_sequence(static_cast<int64_t>(record.sequence));
  wire.set_call(FitText(record.call, kOperationBytesMax));
  wire.set_state(WireEnum<v1::OperationState, OperationState>(record.state, kOperationStates));
  *wire.mutable_age() = WireTime(record.age);
  return wire;
}

v1::GroupTrace ToProto(const GroupTrace& trace) {
  v1::GroupTrace wire;
  wire.set_epoch(trace.epoch.value);
  wire.set_group(trace.group);
  wire.set_trouble(trace.trouble);
  for (const OperationRecord& record : trace.records) *wire.add_records() = ToProto(record);
  return wire;
}

GroupTrace ReadGroupTrace(WireReader& reader, const v1::GroupTrace& wire) {
  GroupTrace trace;
  trace.epoch = reader.Counter<Epoch>("epoch", wire.epoch(), 1);
  trace.group = reader.Text("group", wire.group(), 1, kGroupNameBytesMax);
  trace.trouble = wire.trouble();
  const int count = reader.Count("records", wire.records_size(), kRecordsMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "records", i);
    trace.records.push_back(ReadRecord(reader, wire.records(i)));
    if (i > 0 && trace.records[static_cast<size_t>(i)].sequence !=
                     trace.records[static_cast<size_t>(i) - 1].sequence + 1) {
      reader.Refuse("sequence", "does not follow the one before it, want them without a gap");
    }
  }
  return trace;
}

}  // namespace muster
