#ifndef MUSTER_COMMON_WIRE_REPORT_H_
#define MUSTER_COMMON_WIRE_REPORT_H_

#include "absl/status/statusor.h"
#include "common/session/session.h"
#include "muster/v1/worker.pb.h"

// What a worker says to its coordinator, to and from its wire form.
//
// Writing: text for people is made to fit its limit, and a device without uuid is left out.
// Anything else must be within its limits already; FromProto() of what was written tells whether it
// is. Times lose what is below a nanosecond.
//
// Reading gives kInvalidArgument, naming the field, for anything outside the ranges and limits of
// the .proto files: invalid_request, or limit_exceeded for what is too long.
namespace muster {

// Offers the protocols that this build speaks.
v1::Hello ToProto(const Hello& hello);

// Besides: kFailedPrecondition of kind protocol_mismatch if the worker speaks none of the protocols
// of this build; both ranges are named.
absl::StatusOr<Hello> FromProto(const v1::Hello& wire);

v1::Report ToProto(const Report& report);
absl::StatusOr<Report> FromProto(const v1::Report& wire);

// The highest protocol that the sender of `wire` and this build both speak. Errors as FromProto().
absl::StatusOr<int32_t> ChooseProtocol(const v1::ProtocolRange& wire);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_REPORT_H_
