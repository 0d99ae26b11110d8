#ifndef MUSTER_COMMON_WIRE_POLICY_H_
#define MUSTER_COMMON_WIRE_POLICY_H_

#include "common/layout/layout_spec.h"
#include "common/wire/reader.h"
#include "muster/v1/types.pb.h"

// The parts of a JobSpec on the wire of which this build supports only some values.
namespace muster {

// Refuses what is malformed or not supported.
void CheckPolicy(WireReader& reader, const v1::Policy& wire);

// The mode of the host communicators, `inherited` where `wire` does not say. Refuses everything
// else that a Backend can say, but what it is by default.
BuildMode ReadHostMode(WireReader& reader, const v1::Backend& wire, BuildMode inherited);

v1::BuildMode ToProto(BuildMode mode);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_POLICY_H_
