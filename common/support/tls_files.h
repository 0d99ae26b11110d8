#ifndef MUSTER_COMMON_SUPPORT_TLS_FILES_H_
#define MUSTER_COMMON_SUPPORT_TLS_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace muster {

// PEM files of one side. All three are set, or none: then the connection is neither encrypted nor
// authenticated, which is allowed on loopback only.
struct TlsFiles {
  std::string cert;  // This side's certificate chain.
  std::string key;   // Its private key.
  std::string ca;    // Who signed the other side's.

  bool empty() const { return cert.empty() && key.empty() && ca.empty(); }
};

// What the files hold.
struct TlsPems {
  std::string cert;
  std::string key;
  std::string ca;
};

// Reads the three files and checks that they can be used: each holds what it should, the key fits
// the certificate, and the certificate has not run out.
//
// Errors, naming the file and what to do:
//   kInvalidArgument  one of the three is not set, or what a file holds cannot be used
//   kNotFound         a file cannot be read
absl::StatusOr<TlsPems> ReadTlsFiles(const TlsFiles& files);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_TLS_FILES_H_
