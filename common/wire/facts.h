#ifndef MUSTER_COMMON_WIRE_FACTS_H_
#define MUSTER_COMMON_WIRE_FACTS_H_

#include "common/session/deadlines.h"
#include "common/session/session.h"
#include "common/wire/reader.h"
#include "muster/v1/types.pb.h"

// The parts that several messages share. Those that are read take the reader of the whole message,
// with its scope on the part.
//
// What is written must be within the limits; only text for people is made to fit.
namespace muster {

v1::HostFacts ToProto(const HostFacts& host);
HostFacts ReadHostFacts(WireReader& reader, const v1::HostFacts& wire);

// `device` has an uuid.
v1::DeviceFacts ToProto(const DeviceFacts& device);
DeviceFacts ReadDeviceFacts(WireReader& reader, const v1::DeviceFacts& wire);

v1::LostMember ToProto(const LostMember& member);
LostMember ReadLostMember(WireReader& reader, const v1::LostMember& wire);

v1::Deadlines ToProto(const Deadlines& deadlines);
Deadlines ReadDeadlines(WireReader& reader, const v1::Deadlines& wire);

v1::DeadlineOverrides ToProto(const DeadlineOverrides& overrides);
DeadlineOverrides ReadDeadlineOverrides(WireReader& reader, const v1::DeadlineOverrides& wire);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_FACTS_H_
