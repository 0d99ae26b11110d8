#ifndef MUSTER_COMMON_LAYOUT_PARSE_MESH_H_
#define MUSTER_COMMON_LAYOUT_PARSE_MESH_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"

namespace muster {

// The name of a mesh that a command line gives without one.
inline constexpr std::string_view kMainMeshName = "main";

inline constexpr size_t kMeshTextBytesMax = 4096;  // bytes that ParseMesh() reads

// Reads one dimension, "tp=2". Spaces around the name and the size are skipped.
//
// Only the form is checked: the size may be 0 or less and the name anything, which Layout::Create()
// then refuses.
//
// Errors: kInvalidArgument: invalid_request, naming `text` and what was wanted.
absl::StatusOr<MeshDim> ParseMeshDim(std::string_view text);

// Reads a mesh named kMainMeshName over all ranks from its dimensions, slowest first, separated by
// commas: "dp=2,tp=2". Each is read by ParseMeshDim().
//
// Errors: kInvalidArgument: invalid_request; limit_exceeded (more than kMeshTextBytesMax bytes).
absl::StatusOr<MeshSpec> ParseMesh(std::string_view text);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PARSE_MESH_H_
