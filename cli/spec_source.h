#ifndef MUSTER_CLI_SPEC_SOURCE_H_
#define MUSTER_CLI_SPEC_SOURCE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/support/config.h"
#include "muster/v1/types.pb.h"

namespace muster::cli {

// A job as a command line gives it: a file, or a mesh.
struct SpecFlags {
  std::string file;
  std::string mesh;        // As "dp=2,tp=2": a mesh called main.
  std::string job;         // Name; with a file it replaces the file's.
  int64_t world_size = 0;  // With a mesh; 0: the product of its sizes.
};

// Declares -f/--filename, --mesh and -j/--job.
void AddSpecFlags(Config& config, SpecFlags& flags);

// Errors: kInvalidArgument if neither or both are given, or for what ParseJobFile() and ParseMesh()
// refuse; kNotFound if the file cannot be read.
absl::StatusOr<v1::JobSpec> LoadSpec(const SpecFlags& flags);

}  // namespace muster::cli

#endif  // MUSTER_CLI_SPEC_SOURCE_H_
