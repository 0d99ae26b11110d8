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
#include "common/rpc/diagnosis.h"
#include "common/rpc/status.h"

namespace muster::cli {
namespace {

constexpr absl::Duration kDiagnosisWithin = absl::Seconds(2);

std::string ContextFolder() {
  const std::string runtime = ProcessEnvironment("XDG_RUNTIME_DIR").value_or("");
  if (!runtime.empty()) return absl::StrCat(runtime, "/muster");
  return absl::StrCat(ProcessEnvironment("HOME").value_or("/tmp"), "/.muster");
}

// What of a coordinator is written to the context file, one text a line in this order.
struct Context {
  std::string endpoint;
  TlsFiles tls;
};

Context ReadContext() {
  std::ifstream file(ContextPath());
  Context context;
  for (std::string* text :
       {&context.endpoint, &context.tls.cert, &context.tls.key, &context.tls.ca}) {
    std::getline(file, *text);
  }
  return context;
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

absl::Status WriteContext(const std::string& endpoint, const TlsFiles& tls) {
  mkdir(ContextFolder().c_str(), 0700);
  const std::string path = ContextPath();
  const std::string temporary = absl::StrCat(path, ".", getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string text =
      absl::StrCat(endpoint, "\n", tls.cert, "\n", tls.key, "\n", tls.ca, "\n");
  const bool written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  if (written && rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  unlink(temporary.c_str());
  return absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

void RemoveContext(const std::string& endpoint) {
  if (ReadContext().endpoint == endpoint) unlink(ContextPath().c_str());
}

absl::StatusOr<Admin> Admin::Connect(const ConnectionFlags& flags) {
  ConnectionFlags all = flags;
  if (all.endpoint.empty()) {
    Context context = ReadContext();
    all.endpoint = std::move(context.endpoint);
    if (all.tls.empty()) all.tls = std::move(context.tls);
  }
  if (all.endpoint.empty()) {
    ErrorDetail detail;
    detail.kind = ErrorKind::kConfigInvalid;
    detail.remedy = "give --endpoint HOST:PORT, or start a job with `muster run`";
    return MakeError(absl::StatusCode::kNotFound, "no coordinator is known", detail);
  }
  MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel,
                          MakeChannel(all.endpoint, all.tls));
  return Admin(v1::AdminService::NewStub(channel), std::move(all));
}

absl::Status Admin::Call(
    const std::function<grpc::Status(v1::AdminService::Stub&, grpc::ClientContext*)>& call) const {
  grpc::ClientContext context;
  context.set_deadline(GrpcDeadline(flags_.timeout));
  absl::Status status = FromGrpc(call(*stub_, &context));
  const bool transport = status.code() == absl::StatusCode::kUnavailable ||
                         status.code() == absl::StatusCode::kDeadlineExceeded;
  if (!transport || DetailOf(status).has_value()) return status;
  MUSTER_RETURN_IF_ERROR(DiagnoseTls(flags_.endpoint, flags_.tls, kDiagnosisWithin));
  return absl::Status(status.code(),
                      absl::StrCat("coordinator at ", flags_.endpoint, ": ", status.message()));
}

std::string DrawRequestId() { return absl::StrFormat("%016x", SystemSeed()); }

}  // namespace muster::cli
