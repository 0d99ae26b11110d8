#include "cli/spec_source.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/jobfile/jobfile.h"
#include "common/layout/parse_mesh.h"

namespace muster::cli {
namespace {

absl::Status Error(absl::StatusCode code, const std::string& message, std::string remedy) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error(absl::StatusCode::kNotFound, absl::StrCat("cannot read '", path, "'"),
                 "check the path, or give - for standard input");
  }
  text << file.rdbuf();
  return text.str();
}

absl::StatusOr<v1::JobSpec> SpecOfMesh(const SpecFlags& flags) {
  MUSTER_ASSIGN_OR_RETURN(MeshSpec mesh, ParseMesh(flags.mesh));
  v1::JobSpec spec;
  spec.set_name(flags.job.empty() ? "main" : flags.job);
  v1::Mesh* out = spec.add_meshes();
  out->set_name(mesh.name);
  int64_t product = 1;
  for (const MeshDim& dim : mesh.dims) {
    out->add_dims()->set_name(dim.name);
    out->mutable_dims()->rbegin()->set_size(dim.size);
    if (product <= INT32_MAX) product *= dim.size;
  }
  const int64_t world = flags.world_size == 0 ? product : flags.world_size;
  if (world < 1 || world > INT32_MAX) {
    return Error(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("--mesh '", flags.mesh, "' makes a world of ", world, " ranks"),
                 "give sizes of 1 and more");
  }
  spec.set_world_size(static_cast<int32_t>(world));
  return spec;
}

}  // namespace

void AddSpecFlags(Config& config, SpecFlags& flags) {
  config.AddString({.name = "filename",
                    .help = "Job file in YAML; - reads standard input.",
                    .placeholder = "FILE",
                    .letter = 'f'},
                   &flags.file);
  config.AddString({.name = "mesh",
                    .help = "Instead of a file: one mesh, slowest dimension first.",
                    .placeholder = "DIM=SIZE,..."},
                   &flags.mesh);
  config.AddString({.name = "job", .help = "Name of the job.", .placeholder = "JOB", .letter = 'j'},
                   &flags.job);
}

absl::StatusOr<v1::JobSpec> LoadSpec(const SpecFlags& flags) {
  if (flags.file.empty() == flags.mesh.empty()) {
    return Error(absl::StatusCode::kInvalidArgument,
                 flags.file.empty() ? "no layout: neither --filename nor --mesh is given"
                                    : "both --filename and --mesh are given",
                 "give one of -f FILE and --mesh 'dp=2,tp=2'");
  }
  if (!flags.mesh.empty()) return SpecOfMesh(flags);
  MUSTER_ASSIGN_OR_RETURN(std::string text, ReadText(flags.file));
  MUSTER_ASSIGN_OR_RETURN(v1::JobSpec spec, ParseJobFile(text, flags.file));
  if (!flags.job.empty()) spec.set_name(flags.job);
  return spec;
}

}  // namespace muster::cli
