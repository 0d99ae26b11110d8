#include "coordinator/server/caller.h"

#include <grpc/grpc_security_constants.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"

namespace muster::coordinator {

Caller::Caller(Access access, const grpc::ServerContextBase& context)
    : open_(access == Access::kOpen) {
  if (open_) return;
  const std::shared_ptr<const grpc::AuthContext> auth = context.auth_context();
  if (auth == nullptr || !auth->IsPeerAuthenticated()) return;
  for (const grpc::string_ref& uri : auth->FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    uris_.emplace_back(uri.data(), uri.size());
    const std::optional<Identity> identity = ParseIdentity(uris_.back());
    if (identity.has_value()) identities_.push_back(*identity);
  }
}

absl::Status Caller::CheckAdmin() const {
  if (open_) return absl::OkStatus();
  for (const Identity& identity : identities_) {
    if (identity.role == Role::kAdmin) return absl::OkStatus();
  }
  return Deny("an admin", {Role::kAdmin, "", ""});
}

absl::Status Caller::CheckWorker(const std::string& job, const std::string& worker) const {
  if (open_) return absl::OkStatus();
  for (const Identity& identity : identities_) {
    if (identity.role == Role::kWorker && identity.job == job &&
        (identity.worker.empty() || identity.worker == worker)) {
      return absl::OkStatus();
    }
  }
  return Deny(absl::StrCat("worker '", worker, "' of job '", job, "'"),
              {Role::kWorker, job, worker});
}

absl::Status Caller::Deny(const std::string& wanted, const Identity& whom) const {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.job = whom.job;
  if (!whom.worker.empty()) detail.workers = {whom.worker};
  detail.remedy = absl::StrCat("use a certificate whose alternative names hold the URI ",
                               IdentityUri("DOMAIN", whom));
  const std::string found = uris_.empty() ? "no URI" : absl::StrJoin(uris_, ", ");
  return MakeError(
      absl::StatusCode::kPermissionDenied,
      absl::StrCat("the caller's certificate is not for ", wanted, ": it names ", found),
      std::move(detail));
}

}  // namespace muster::coordinator
