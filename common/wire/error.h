#ifndef MUSTER_COMMON_WIRE_ERROR_H_
#define MUSTER_COMMON_WIRE_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/error_detail.h"
#include "muster/v1/error.pb.h"

// Errors, to and from what a gRPC status carries: its code, its message and its binary details.
namespace muster {

// Text is made to fit its limits. Lists are not shortened.
v1::ErrorDetail ToProto(const ErrorDetail& detail);

// A kind of an unknown name becomes ErrorKind::kUnknown. Otherwise kInvalidArgument naming the
// field for anything outside the ranges and limits of error.proto.
absl::StatusOr<ErrorDetail> FromProto(const v1::ErrorDetail& wire);

// The binary details for `status`: its ErrorDetail in at most kErrorDetailBytesMax, of which hosts,
// then workers, then ranks lose their tails. Empty if it has none.
std::string EncodeStatusDetails(const absl::Status& status);

// The status that a peer answered with. `code` is a number of gRPC, which are those of Abseil; an
// unknown one is kUnknown. Details that cannot be read are dropped, so nothing that a peer sends
// hides its code and message.
absl::Status DecodeStatus(int code, std::string_view message, std::string_view details);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_ERROR_H_
