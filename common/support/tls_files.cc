#include "common/support/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"

namespace muster {
namespace {

struct Freer {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using Owned = std::unique_ptr<T, Freer>;

absl::Status Error(absl::StatusCode code, const std::string& message, std::string remedy) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

absl::Status Unusable(const std::string& message, std::string remedy) {
  return Error(absl::StatusCode::kInvalidArgument, message, std::move(remedy));
}

absl::Status CheckTogether(const TlsFiles& files) {
  std::vector<std::string> missing;
  if (files.cert.empty()) missing.push_back("certificate");
  if (files.key.empty()) missing.push_back("private key");
  if (files.ca.empty()) missing.push_back("CA");
  if (missing.empty()) return absl::OkStatus();
  return Unusable(absl::StrCat("TLS wants a certificate, its private key and a CA; not given: ",
                               absl::StrJoin(missing, ", ")),
                  "give the files of all three (--tls-cert, --tls-key and --tls-ca; of the admin "
                  "commands --cert, --key and --cacert)");
}

absl::StatusOr<std::string> ReadPem(const std::string& path, const char* what) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file || content.str().empty()) {
    return Error(absl::StatusCode::kNotFound,
                 absl::StrCat("cannot read '", path, "', want the ", what, " as a PEM file"),
                 "check the path and its permissions");
  }
  return content.str();
}

Owned<BIO> Open(const std::string& pem) {
  return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Owned<X509> ParseCert(const std::string& pem) {
  return Owned<X509>(PEM_read_bio_X509(Open(pem).get(), nullptr, nullptr, nullptr));
}

// Nobody is there to be asked for the password of an encrypted key.
int NoPassword(char*, int, int, void*) { return 0; }

std::string TimeText(const ASN1_TIME* time) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(out.get(), time);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

absl::Status CheckPems(const TlsFiles& files, const TlsPems& pems) {
  const Owned<X509> cert = ParseCert(pems.cert);
  if (cert == nullptr) {
    return Unusable(absl::StrCat("'", files.cert, "' holds no certificate that can be read"),
                    "give a certificate chain in PEM form");
  }
  if (X509_cmp_current_time(X509_get0_notAfter(cert.get())) < 0) {
    return Unusable(absl::StrCat("the certificate in '", files.cert, "' ran out at ",
                                 TimeText(X509_get0_notAfter(cert.get()))),
                    "get a new one");
  }
  const Owned<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(Open(pems.key).get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) {
    return Unusable(absl::StrCat("'", files.key, "' holds no private key that can be read"),
                    "give a key in PEM form without a password");
  }
  if (X509_check_private_key(cert.get(), key.get()) != 1) {
    return Unusable(absl::StrCat("the private key in '", files.key,
                                 "' does not belong to the certificate in '", files.cert, "'"),
                    "give the two files of one pair");
  }
  if (ParseCert(pems.ca) == nullptr) {
    return Unusable(absl::StrCat("'", files.ca, "' holds no CA certificate that can be read"),
                    "give the certificates of the CA in PEM form");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsPems> ReadTlsFiles(const TlsFiles& files) {
  MUSTER_RETURN_IF_ERROR(CheckTogether(files));
  TlsPems pems;
  MUSTER_ASSIGN_OR_RETURN(pems.cert, ReadPem(files.cert, "certificate chain"));
  MUSTER_ASSIGN_OR_RETURN(pems.key, ReadPem(files.key, "private key"));
  MUSTER_ASSIGN_OR_RETURN(pems.ca, ReadPem(files.ca, "certificates of the CA"));
  const absl::Status checked = CheckPems(files, pems);
  ERR_clear_error();  // What was found is told in our words.
  MUSTER_RETURN_IF_ERROR(checked);
  return pems;
}

}  // namespace muster
