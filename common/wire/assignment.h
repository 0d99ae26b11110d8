#ifndef MUSTER_COMMON_WIRE_ASSIGNMENT_H_
#define MUSTER_COMMON_WIRE_ASSIGNMENT_H_

#include "absl/status/statusor.h"
#include "common/session/session.h"
#include "muster/v1/worker.pb.h"

// What a coordinator says to a worker, to and from its wire form. What the two directions promise
// is said in report.h and, for the spec, in job_spec.h of this folder.
namespace muster {

v1::Assignment ToProto(const Assignment& assignment);

absl::StatusOr<Assignment> FromProto(const v1::Assignment& wire);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_ASSIGNMENT_H_
