#ifndef MUSTER_COMMON_SUPPORT_TLS_PROBE_H_
#define MUSTER_COMMON_SUPPORT_TLS_PROBE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/support/tls_files.h"

namespace muster {

// What came of a try to speak TLS with a server.
struct TlsFinding {
  enum class What {
    kNothing,         // It did not answer, or broke off without a word.
    kAgreed,          // It took our certificate, and we take its.
    kSpeaksTls,       // It speaks TLS; asked without certificates.
    kNoTls,           // It answers, but not in TLS.
    kPeerNotTrusted,  // Its certificate is not of our CA, or not valid now.
    kRefusedUs,       // It does not take our certificate.
  };
  What what = What::kNothing;
  std::string reason;                  // In the words of OpenSSL; may be empty.
  std::vector<std::string> peer_uris;  // Of its certificate, where it was checked.
};

// Connects to `address` (HOST:PORT, an IPv6 host in brackets), offers TLS and hangs up. Without
// `pems` it brings no certificate and checks none. For finding out why a connection does not come
// about: the libraries above TLS do not tell.
//
// Blocks until it is known, at most `within` and the time that a look-up of a name takes.
TlsFinding ProbeTls(const std::string& address, const std::optional<TlsPems>& pems,
                    absl::Duration within);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_TLS_PROBE_H_
