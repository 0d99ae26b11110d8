#include "common/layout/parse_mesh.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

absl::Status NotADim(std::string_view text, std::string_view reason) {
  return LayoutError(ErrorKind::kInvalidRequest,
                     absl::StrCat("dimension ", Quoted(text), ": ", ToAbsl(reason)),
                     "Write dimensions as NAME=SIZE, such as tp=2.");
}

}  // namespace

absl::StatusOr<MeshDim> ParseMeshDim(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return NotADim(text, "no '=', want NAME=SIZE");
  const absl::string_view name = absl::StripAsciiWhitespace(ToAbsl(text.substr(0, equals)));
  const absl::string_view size = absl::StripAsciiWhitespace(ToAbsl(text.substr(equals + 1)));
  if (name.empty()) return NotADim(text, "no name before '=', want NAME=SIZE");
  MeshDim dim = {.name = std::string(name)};
  if (!absl::SimpleAtoi(size, &dim.size)) {
    return NotADim(text, absl::StrCat("size ", Quoted(ToStd(size)),
                                      ", want a whole number of at most 32 bits"));
  }
  return dim;
}

absl::StatusOr<MeshSpec> ParseMesh(std::string_view text) {
  MUSTER_RETURN_IF_ERROR(CheckLimit("the number of bytes of the mesh is",
                                    static_cast<int64_t>(text.size()), kMeshTextBytesMax));
  MeshSpec mesh = {.name = std::string(kMainMeshName)};
  for (const absl::string_view item : absl::StrSplit(ToAbsl(text), ',')) {
    MUSTER_ASSIGN_OR_RETURN(MeshDim dim, ParseMeshDim(ToStd(item)));
    mesh.dims.push_back(std::move(dim));
  }
  return mesh;
}

}  // namespace muster
