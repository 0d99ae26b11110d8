#ifndef MUSTER_COMMON_WIRE_IDENTITY_H_
#define MUSTER_COMMON_WIRE_IDENTITY_H_

#include "common/session/session.h"
#include "common/wire/reader.h"

// The three fields that say which process of which worker a message is about. Message and value
// have them under the same names: job, worker, incarnation.
namespace muster {

template <typename Value, typename Message>
void WriteIdentity(const Value& value, Message& wire) {
  wire.set_job(value.job);
  wire.set_worker(value.worker);
  wire.set_incarnation(value.incarnation.value);
}

template <typename Message, typename Value>
void ReadIdentity(WireReader& reader, const Message& wire, Value& value) {
  value.job = reader.Text("job", wire.job(), 1, kJobNameBytesMax);
  if (!CheckJobName(wire.job()).ok()) {
    reader.Refuse("job", "cannot be the name of a job", ErrorKind::kInvalidName);
  }
  value.worker = reader.Text("worker", wire.worker(), 1, kWorkerIdBytesMax);
  value.incarnation = Incarnation(reader.NonZero("incarnation", wire.incarnation()));
}

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_IDENTITY_H_
