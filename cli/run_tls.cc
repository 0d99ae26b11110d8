#include "cli/run_tls.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/rpc/identity.h"
#include "common/support/config.h"

namespace muster::cli {
namespace {

constexpr char kDomain[] = "run.muster";

}  // namespace

absl::StatusOr<RunTls> MakeRunTls(const std::string& job, const std::string& prefix,
                                  int64_t workers) {
  RunTls tls;
  MUSTER_ASSIGN_OR_RETURN(tls.ca, ThrowawayCa::Make(ProcessEnvironment("TMPDIR").value_or("/tmp")));
  const auto issue = [&](const std::string& name, const Identity& identity) {
    return tls.ca->Issue(name, IdentityUri(kDomain, identity));
  };
  MUSTER_ASSIGN_OR_RETURN(tls.coordinator, issue("coordinator", {Role::kCoordinator, "", ""}));
  MUSTER_ASSIGN_OR_RETURN(tls.admin, issue("admin", {Role::kAdmin, "", ""}));
  MUSTER_ASSIGN_OR_RETURN(tls.supervisor, issue("supervisor", {Role::kWorker, job, ""}));
  for (int64_t i = 0; i < workers; ++i) {
    const Identity worker{Role::kWorker, job, absl::StrCat(prefix, "-", i)};
    MUSTER_RETURN_IF_ERROR(issue(absl::StrCat("worker-", i), worker).status());
  }
  tls.worker_cert = absl::StrCat(tls.ca->folder(), "/worker-{index}.crt");
  tls.worker_key = absl::StrCat(tls.ca->folder(), "/worker-{index}.key");
  return tls;
}

}  // namespace muster::cli
