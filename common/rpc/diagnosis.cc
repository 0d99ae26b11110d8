#include "common/rpc/diagnosis.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/rpc/identity.h"
#include "common/support/tls_probe.h"

namespace muster {
namespace {

absl::Status Refused(const std::string& address, const std::string& found, std::string remedy) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.remedy = std::move(remedy);
  return MakeError(absl::StatusCode::kUnauthenticated,
                   absl::StrCat("no TLS connection to the coordinator at ", address, ": ", found),
                   std::move(detail));
}

std::string Quoted(const std::string& reason) {
  return reason.empty() ? "" : absl::StrCat(" (", reason, ")");
}

}  // namespace

absl::Status DiagnoseTls(const std::string& address, const TlsFiles& files, absl::Duration within) {
  if (absl::StartsWith(address, "unix:")) return absl::OkStatus();
  std::optional<TlsPems> pems;
  if (!files.empty()) {
    MUSTER_ASSIGN_OR_RETURN(pems, ReadTlsFiles(files));
  }
  TlsFinding finding = ProbeTls(address, pems, within);
  if (finding.what == TlsFinding::What::kRefusedUs) {
    // Twice: a server that ends at that moment hangs up, too.
    finding = ProbeTls(address, pems, within);
  }
  switch (finding.what) {
    case TlsFinding::What::kNothing:
      return absl::OkStatus();
    case TlsFinding::What::kAgreed:
      if (NamesCoordinator(finding.peer_uris)) return absl::OkStatus();
      return Refused(
          address,
          absl::StrCat("its certificate names ", finding.peer_uris.empty()
                                                     ? "no URI"
                                                     : absl::StrJoin(finding.peer_uris, ", ")),
          absl::StrCat("give the coordinator a certificate whose alternative names hold "
                       "the URI ",
                       IdentityUri("DOMAIN", {Role::kCoordinator, "", ""})));
    case TlsFinding::What::kSpeaksTls:
      return Refused(address, "it wants TLS, and this side was given no certificate",
                     "give a certificate, its private key and the CA");
    case TlsFinding::What::kNoTls:
      if (files.empty()) return absl::OkStatus();
      return Refused(address, "it answers without TLS, and this side was given a certificate",
                     "start the coordinator with --tls-cert, --tls-key and --tls-ca, or check the "
                     "address");
    case TlsFinding::What::kPeerNotTrusted:
      return Refused(address,
                     absl::StrCat("its certificate is not valid for the CA in '", files.ca, "'",
                                  Quoted(finding.reason)),
                     "give the CA that signed the coordinator's certificate");
    case TlsFinding::What::kRefusedUs:
      return Refused(address,
                     absl::StrCat("it does not take the certificate in '", files.cert, "'",
                                  Quoted(finding.reason)),
                     "give a certificate of the CA that the coordinator was started with");
  }
  return absl::OkStatus();
}

}  // namespace muster
