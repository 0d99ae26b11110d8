#include "common/support/throwaway_ca.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace muster {
namespace {

constexpr long kSecondsBefore = 5 * 60;  // Another clock of the job may be a little behind.
constexpr long kSecondsAfter = 365L * 24 * 60 * 60;

struct Freer {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <typename T>
using Owned = std::unique_ptr<T, Freer>;

absl::Status CannotWrite(const std::string& path) {
  return absl::PermissionDeniedError(absl::StrCat("cannot make '", path, "': ", strerror(errno)));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string PemOf(X509* cert) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), cert);
  return TextOf(out.get());
}

std::string PemOf(EVP_PKEY* key) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TextOf(out.get());
}

absl::Status WriteFile(const std::string& path, const std::string& content) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return CannotWrite(path);
  const bool written =
      write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  const absl::Status status = written ? absl::OkStatus() : CannotWrite(path);
  close(fd);
  return status;
}

void AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (extension != nullptr) X509_add_ext(cert, extension.get(), -1);
}

// A certificate without extensions and signature.
Owned<X509> Blank(EVP_PKEY* key, long serial, const std::string& name) {
  Owned<X509> cert(X509_new());
  X509_set_version(cert.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -kSecondsBefore);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), kSecondsAfter);
  X509_set_pubkey(cert.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return cert;
}

// Waits until the other end of `lifeline` is closed, then removes `folder`. Nothing but the end of
// that other end ends it before.
[[noreturn]] void RemoveInTheEnd(int lifeline, const std::string& folder) {
  setsid();
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) signal(number, SIG_IGN);
  // All else that is open here would stay open: pipes that others read to the end, too.
  dup2(lifeline, 0);
  closefrom(1);
  char byte = 0;
  while (read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

struct ThrowawayCa::Keys {
  Owned<EVP_PKEY> key;
  Owned<X509> cert;
};

absl::StatusOr<std::unique_ptr<ThrowawayCa>> ThrowawayCa::Make(const std::string& parent) {
  std::string folder = absl::StrCat(parent, "/muster-ca-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) return CannotWrite(folder);
  int ends[2] = {-1, -1};
  const pid_t remover = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
  if (remover == 0) {
    close(ends[1]);
    RemoveInTheEnd(ends[0], folder);
  }
  if (ends[0] >= 0) close(ends[0]);
  if (remover < 0) {
    if (ends[1] >= 0) close(ends[1]);
    rmdir(folder.c_str());
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot start the process that removes '", folder, "'"));
  }
  std::unique_ptr<ThrowawayCa> ca(new ThrowawayCa(folder, remover, ends[1]));
  MUSTER_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/ca.crt"), PemOf(ca->keys_->cert.get())));
  return ca;
}

ThrowawayCa::ThrowawayCa(std::string folder, pid_t remover, int lifeline)
    : folder_(std::move(folder)),
      remover_(remover),
      lifeline_(lifeline),
      keys_(std::make_unique<Keys>()) {
  keys_->key.reset(EVP_EC_gen("P-256"));
  keys_->cert = Blank(keys_->key.get(), last_serial_, "muster throw-away CA");
  X509* cert = keys_->cert.get();
  X509_set_issuer_name(cert, X509_get_subject_name(cert));
  AddExtension(cert, cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  AddExtension(cert, cert, NID_key_usage, "critical,keyCertSign");
  AddExtension(cert, cert, NID_subject_key_identifier, "hash");
  X509_sign(cert, keys_->key.get(), EVP_sha256());
}

ThrowawayCa::~ThrowawayCa() {
  close(lifeline_);
  while (waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

absl::StatusOr<TlsFiles> ThrowawayCa::Issue(const std::string& name, const std::string& uri) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> cert = Blank(key.get(), ++last_serial_, name);
  X509* issuer = keys_->cert.get();
  X509_set_issuer_name(cert.get(), X509_get_subject_name(issuer));
  AddExtension(cert.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(cert.get(), issuer, NID_key_usage, "critical,digitalSignature");
  AddExtension(cert.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  AddExtension(cert.get(), issuer, NID_authority_key_identifier, "keyid");
  AddExtension(cert.get(), issuer, NID_subject_alt_name,
               absl::StrCat("URI:", uri, ",IP:127.0.0.1,IP:::1,DNS:localhost"));
  X509_sign(cert.get(), keys_->key.get(), EVP_sha256());

  const std::string path = absl::StrCat(folder_, "/", name);
  TlsFiles files{absl::StrCat(path, ".crt"), absl::StrCat(path, ".key"),
                 absl::StrCat(folder_, "/ca.crt")};
  MUSTER_RETURN_IF_ERROR(WriteFile(files.cert, PemOf(cert.get())));
  MUSTER_RETURN_IF_ERROR(WriteFile(files.key, PemOf(key.get())));
  return files;
}

}  // namespace muster
