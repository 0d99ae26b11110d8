#ifndef MUSTER_COMMON_JOBFILE_JOBFILE_H_
#define MUSTER_COMMON_JOBFILE_JOBFILE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "muster/v1/types.pb.h"

namespace muster {

// Reads a job file: one YAML document that says what an author wants of a job.
//
//   apiVersion: muster/v1
//   kind: Job
//   metadata: {name: wan}
//   spec:
//     worldSize: 8
//     meshes:
//     - {name: dit, dims: [dp=2, tp=4]}
//
// Keys are those of the message in lower camel case, but for these:
//   metadata.name            the name
//   meshes[].ranks           two numbers, first and count
//   meshes[].dims[], into[]  "NAME=SIZE", or a map of name, size and backend
//   meshes[].preset, params  the name of the preset, and a map of its parameters
//   groups[].ranks           the groups, each a list of ranks
//   backend.device, host     a library (auto, nccl; auto, gloo, shm), a mode (eager, lazy, none) or
//   a
//                            list of both
//
// `source`, such as the name of the file, stands before line and column in errors. Only the form is
// checked: whether the job can be is for ValidateJobSpec() to say, whether it is supported for
// FromProto().
//
// Errors: kInvalidArgument with an ErrorDetail, as ParseYaml() and YamlReader give them.
absl::StatusOr<v1::JobSpec> ParseJobFile(std::string_view text, std::string_view source);

}  // namespace muster

#endif  // MUSTER_COMMON_JOBFILE_JOBFILE_H_
