#ifndef MUSTER_COMMON_WIRE_JOB_SPEC_H_
#define MUSTER_COMMON_WIRE_JOB_SPEC_H_

#include "absl/status/statusor.h"
#include "common/session/job_spec.h"
#include "common/wire/reader.h"
#include "muster/v1/types.pb.h"

// What an author wants, to and from its wire form.
//
// Values that this build cannot honour are refused rather than forgotten: kUnimplemented of kind
// unsupported_mode, naming the value and what is supported. These are every answer to a loss but
// hold, every failure domain but the job, fences on isolation, named backends, and device
// communicators that are not eager. What a policy says about answers that it does not list has no
// effect and is not kept.
//
// Modes of dimensions come out in the order: dimensions, inner ones of each split, flattened ones.
namespace muster {

// `spec` passed ValidateJobSpec().
v1::JobSpec ToProto(const JobSpec& spec);

// Besides what is said above, kInvalidArgument naming the field: an enum number that this build
// does not know, a time out of range, a text that is no UTF-8 or too long, a list over its limit,
// both or neither of a preset and dimensions. Whether the job can be is for ValidateJobSpec() to
// say.
absl::StatusOr<JobSpec> FromProto(const v1::JobSpec& wire);

// The same for a spec inside another message.
JobSpec ReadJobSpec(WireReader& reader, const v1::JobSpec& wire);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_JOB_SPEC_H_
