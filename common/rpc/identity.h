#ifndef MUSTER_COMMON_RPC_IDENTITY_H_
#define MUSTER_COMMON_RPC_IDENTITY_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Who a certificate is for. The names of its subject count for nothing; the URIs among its
// alternative names (SPIFFE ids) do:
//
//   spiffe://DOMAIN/muster/coordinator
//   spiffe://DOMAIN/muster/admin
//   spiffe://DOMAIN/muster/job/JOB                  every worker of the job, and its supervisors
//   spiffe://DOMAIN/muster/job/JOB/worker/WORKER    this worker only
//
// DOMAIN is any: whose certificates count is decided by the CA that each side trusts. Bytes of
// WORKER other than letters, digits and -._~/ are written as %XX.
namespace muster {

enum class Role { kCoordinator, kAdmin, kWorker };

// Job and worker are set for Role::kWorker only; an empty worker stands for every one of the job.
struct Identity {
  Role role = Role::kWorker;
  std::string job;
  std::string worker;

  friend bool operator==(const Identity&, const Identity&) = default;
};

// The URI of `identity` in a domain.
std::string IdentityUri(std::string_view domain, const Identity& identity);

// Reads a URI; nothing if it is none of the above. Safe for any input.
std::optional<Identity> ParseIdentity(std::string_view uri);

// Whether one of the URIs of a certificate is a coordinator's.
bool NamesCoordinator(const std::vector<std::string>& uris);

}  // namespace muster

#endif  // MUSTER_COMMON_RPC_IDENTITY_H_
