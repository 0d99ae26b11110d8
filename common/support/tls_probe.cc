#include "common/support/tls_probe.h"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "common/base/clock_reading.h"

namespace muster {
namespace {

using What = TlsFinding::What;

struct Freer {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
template <typename T>
using Owned = std::unique_ptr<T, Freer>;

// A connection that is waited for until one deadline. Never raises SIGPIPE.
class Connection {
 public:
  Connection(const std::string& address, MonotonicTime deadline) : deadline_(deadline) {
    const size_t colon = address.rfind(':');
    if (colon == std::string::npos) return;
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0) return;
    const Owned<addrinfo> list(found);
    for (const addrinfo* one = found; one != nullptr && !connected_; one = one->ai_next) Try(*one);
  }
  ~Connection() { Close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }

  // False if the other side is gone.
  bool Send(const char* data, size_t size) {
    while (size > 0) {
      const ssize_t n = send(fd_, data, size, MSG_NOSIGNAL);
      if (n > 0) {
        data += n;
        size -= static_cast<size_t>(n);
      } else if (errno != EAGAIN || !Await(POLLOUT)) {
        return false;
      }
    }
    return true;
  }

  // What has come, at most `size` bytes; 0 or less at the end or the deadline.
  ssize_t Receive(char* data, size_t size) {
    if (!Await(POLLIN)) return -1;
    const ssize_t n = recv(fd_, data, size, 0);
    ended_ = n <= 0;
    return n;
  }

  // Whether the other side hung up.
  bool ended() const { return ended_; }

 private:
  void Try(const addrinfo& one) {
    Close();
    fd_ = socket(one.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return;
    if (connect(fd_, one.ai_addr, one.ai_addrlen) != 0 && errno != EINPROGRESS) return;
    int error = 0;
    socklen_t size = sizeof(error);
    connected_ =
        Await(POLLOUT) && getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }

  bool Await(short events) const {
    while (true) {
      const int64_t left = absl::ToInt64Milliseconds(deadline_ - ReadMonotonicClock());
      if (left <= 0) return false;
      pollfd waiting = {fd_, events, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left, 60000)));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
  }

  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  const MonotonicTime deadline_;
  int fd_ = -1;
  bool connected_ = false;
  bool ended_ = false;
};

Owned<BIO> Open(const std::string& pem) {
  return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

void UsePems(SSL_CTX* context, const TlsPems& pems) {
  const Owned<BIO> certs = Open(pems.cert);
  const Owned<X509> leaf(PEM_read_bio_X509(certs.get(), nullptr, nullptr, nullptr));
  SSL_CTX_use_certificate(context, leaf.get());
  while (X509* next = PEM_read_bio_X509(certs.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add_extra_chain_cert(context, next);  // Owned by the context from here on.
  }
  const Owned<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(Open(pems.key).get(), nullptr, nullptr, nullptr));
  SSL_CTX_use_PrivateKey(context, key.get());
  const Owned<BIO> roots = Open(pems.ca);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  while (Owned<X509> root{PEM_read_bio_X509(roots.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store, root.get());
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

std::vector<std::string> UrisOf(SSL* ssl) {
  std::vector<std::string> uris;
  const Owned<X509> cert(SSL_get1_peer_certificate(ssl));
  if (cert == nullptr) return uris;
  const Owned<GENERAL_NAMES> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(cert.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                      static_cast<size_t>(ASN1_STRING_length(uri)));
  }
  return uris;
}

// One try: OpenSSL works on memory, and the bytes are carried from and to the connection here.
class Handshake {
 public:
  Handshake(SSL_CTX* context, Connection* connection)
      : connection_(connection), ssl_(SSL_new(context)) {
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    constexpr unsigned char kHttp2[] = {2, 'h', '2'};
    SSL_set_alpn_protos(ssl_.get(), kHttp2, sizeof(kHttp2));
  }

  TlsFinding Run(bool with_certificates) {
    TlsFinding finding;
    const bool done = Drive([this] { return SSL_connect(ssl_.get()); }, finding);
    if (done) {
      finding.peer_uris = UrisOf(ssl_.get());
      // A server of TLS 1.3 judges our certificate after its own last word. Its first byte of data
      // is a yes; a no is an alert, or that it hangs up without one.
      char byte = 0;
      const bool taken =
          with_certificates && Drive([&] { return SSL_read(ssl_.get(), &byte, 1); }, finding);
      if (taken) finding.what = What::kAgreed;
      if (with_certificates && !taken && connection_->ended()) finding.what = What::kRefusedUs;
    }
    const bool spoke_tls = done || finding.what == What::kRefusedUs;
    if (!with_certificates && spoke_tls) finding.what = What::kSpeaksTls;
    return finding;
  }

 private:
  // Runs `step` until it gives more than 0; false if it cannot, then `finding` says why.
  template <typename Function>
  bool Drive(const Function& step, TlsFinding& finding) {
    while (true) {
      ERR_clear_error();
      const int result = step();
      const int error = SSL_get_error(ssl_.get(), result);
      const unsigned long code = ERR_peek_error();
      const bool sent = Flush();
      if (result > 0) return true;
      if (error != SSL_ERROR_WANT_READ) return Explain(code, finding), false;
      if (!sent || !Fill()) return false;
    }
  }

  bool Flush() {
    char* data = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &data);
    const bool sent = size <= 0 || connection_->Send(data, static_cast<size_t>(size));
    (void)BIO_reset(SSL_get_wbio(ssl_.get()));
    return sent;
  }

  bool Fill() {
    char buffer[16384];
    const ssize_t n = connection_->Receive(buffer, sizeof(buffer));
    if (n <= 0) return false;
    return BIO_write(SSL_get_rbio(ssl_.get()), buffer, static_cast<int>(n)) == n;
  }

  void Explain(unsigned long code, TlsFinding& finding) const {
    const int reason = ERR_GET_REASON(code);
    const char* text = ERR_reason_error_string(code);
    if (text != nullptr) finding.reason = text;
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
      finding.what = What::kPeerNotTrusted;
      finding.reason = X509_verify_cert_error_string(SSL_get_verify_result(ssl_.get()));
    } else if (reason > SSL_AD_REASON_OFFSET) {
      finding.what = What::kRefusedUs;
    } else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG ||
               reason == SSL_R_HTTP_REQUEST) {
      finding.what = What::kNoTls;
    }
  }

  Connection* const connection_;
  const Owned<SSL> ssl_;
};

}  // namespace

TlsFinding ProbeTls(const std::string& address, const std::optional<TlsPems>& pems,
                    absl::Duration within) {
  Connection connection(address, ReadMonotonicClock() + within);
  if (!connection.connected()) return {};
  const Owned<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  if (pems.has_value()) UsePems(context.get(), *pems);
  TlsFinding finding = Handshake(context.get(), &connection).Run(pems.has_value());
  ERR_clear_error();
  return finding;
}

}  // namespace muster
