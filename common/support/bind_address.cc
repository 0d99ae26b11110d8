#include "common/support/bind_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"

namespace muster {
namespace {

absl::Status Error(absl::StatusCode code, ErrorKind kind, const std::string& message,
                   std::string remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

// An address as the system takes it; a size of 0 if the host is not numeric.
struct SocketAddress {
  sockaddr_storage bytes = {};
  socklen_t size = 0;
};

SocketAddress ToSocketAddress(const BindAddress& address) {
  SocketAddress result;
  const auto port = htons(static_cast<uint16_t>(address.port));
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result.bytes);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.bytes);
  if (inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = port;
    result.size = sizeof(*v4);
  } else if (inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = port;
    result.size = sizeof(*v6);
  }
  return result;
}

// The system's number for why nobody can listen there; 0 if one can.
int TryToListen(const SocketAddress& address) {
  const int fd = socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const bool listens =
      bind(fd, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0 &&
      listen(fd, 1) == 0;
  const int error = listens ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace

std::string BindAddress::Text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

absl::StatusOr<BindAddress> ParseBindAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  BindAddress address;
  bool good = colon != std::string::npos &&
              absl::SimpleAtoi(text.substr(colon + 1), &address.port) && address.port >= 0 &&
              address.port <= 65535;
  if (good) {
    address.host = text.substr(0, colon);
    const bool brackets = address.host.size() > 2 && address.host.front() == '[';
    if (brackets) address.host = address.host.substr(1, address.host.size() - 2);
    const int family = ToSocketAddress(address).bytes.ss_family;
    good = family == (brackets ? AF_INET6 : AF_INET) && address.Text().size() <= text.size();
  }
  if (good) return address;
  return Error(absl::StatusCode::kInvalidArgument, ErrorKind::kConfigInvalid,
               absl::StrCat("cannot listen on '", text, "', want a numeric address and a port"),
               "write it as 127.0.0.1:7070 or [::1]:7070");
}

absl::Status WhyNotBound(const BindAddress& address) {
  const int error = TryToListen(ToSocketAddress(address));
  const std::string what = absl::StrCat("cannot listen on ", address.Text(), ": ");
  switch (error) {
    case EADDRINUSE:
      return Error(absl::StatusCode::kAlreadyExists, ErrorKind::kAddressConflict,
                   absl::StrCat(what, "the address is in use"),
                   "end the program that listens there, or choose another address");
    case EADDRNOTAVAIL:
      return Error(absl::StatusCode::kInvalidArgument, ErrorKind::kConfigInvalid,
                   absl::StrCat(what, "the address is not of this machine"),
                   "choose an address of this machine");
    case EACCES:
      return Error(absl::StatusCode::kPermissionDenied, ErrorKind::kConfigInvalid,
                   absl::StrCat(what, "this user may not"), "choose a port from 1024 up");
    default:
      return Error(absl::StatusCode::kUnavailable, ErrorKind::kAddressConflict,
                   absl::StrCat(what, error == 0 ? "it was taken for a moment" : strerror(error)),
                   "try again");
  }
}

}  // namespace muster
