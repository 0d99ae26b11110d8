#include "cli/connection.h"

#include <fcntl.h>
#include <grpcpp/client_context.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/error_detail.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/rpc/status.h"

namespace muster::cli {
namespace {

std::string ContextFolder() {
  const std::string runtime = ProcessEnvironment("XDG_RUNTIME_DIR").value_or("");
  if (!runtime.empty()) return absl::StrCat(runtime, "/muster");
  return absl::StrCat(ProcessEnvironment("HOME").value_or("/tmp"), "/.muster");
}

std::string ReadContext() {
  std::ifstream file(ContextPath());
  std::string endpoint;
  std::getline(file, endpoint);
  return endpoint;
}

}  // namespace

void AddConnectionFlags(Config& config, ConnectionFlags& flags) {
  config.AddString({.name = "endpoint",
                    .help = "Admin port of the coordinator; by default that of `muster run`.",
                    .placeholder = "HOST:PORT"},
                   &flags.endpoint);
  config.AddString(
      {.name = "cert", .help = "Certificate chain of the admin.", .placeholder = "FILE"},
      &flags.tls.cert);
  config.AddString({.name = "key", .help = "Private key of the admin.", .placeholder = "FILE"},
                   &flags.tls.key);
  config.AddString(
      {.name = "cacert", .help = "Who signs the coordinator's certificate.", .placeholder = "FILE"},
      &flags.tls.ca);
  config.AddDuration({.name = "command-timeout", .help = "How long to wait for an answer."},
                     &flags.timeout, {.least = absl::Milliseconds(1)});
}

std::string ContextPath() { return absl::StrCat(ContextFolder(), "/context"); }

absl::Status WriteContext(const std::string& endpoint) {
  mkdir(ContextFolder().c_str(), 0700);
  const std::string path = ContextPath();
  const std::string temporary = absl::StrCat(path, ".", getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string line = absl::StrCat(endpoint, "\n");
  const bool written =
      fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (fd >= 0) close(fd);
  if (written && rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  unlink(temporary.c_str());
  return absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

void RemoveContext(const std::string& endpoint) {
  if (ReadContext() == endpoint) unlink(ContextPath().c_str());
}

absl::StatusOr<Admin> Admin::Connect(const ConnectionFlags& flags) {
  const std::string endpoint = flags.endpoint.empty() ? ReadContext() : flags.endpoint;
  if (endpoint.empty()) {
    ErrorDetail detail;
    detail.kind = ErrorKind::kConfigInvalid;
    detail.remedy = "give --endpoint HOST:PORT, or start a job with `muster run`";
    return MakeError(absl::StatusCode::kNotFound, "no coordinator is known", detail);
  }
  MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, MakeChannel(endpoint, flags.tls));
  return Admin(v1::AdminService::NewStub(channel), endpoint, flags.timeout);
}

absl::Status Admin::Call(
    const std::function<grpc::Status(v1::AdminService::Stub&, grpc::ClientContext*)>& call) const {
  grpc::ClientContext context;
  context.set_deadline(GrpcDeadline(timeout_));
  absl::Status status = FromGrpc(call(*stub_, &context));
  const bool transport = status.code() == absl::StatusCode::kUnavailable ||
                         status.code() == absl::StatusCode::kDeadlineExceeded;
  if (!transport || DetailOf(status).has_value()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("coordinator at ", endpoint_, ": ", status.message()));
}

std::string DrawRequestId() { return absl::StrFormat("%016x", SystemSeed()); }

}  // namespace muster::cli
