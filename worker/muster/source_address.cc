#include "worker/muster/source_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"

namespace muster {
namespace {

absl::Status Error(absl::StatusCode code, const std::string& message) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.remedy = "Check the coordinator's address, or set MUSTER_ADVERTISE_ADDRESS.";
  return MakeError(code, absl::StrCat(message, ". ", detail.remedy), detail);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// The local end of a UDP socket that is connected to `remote`; empty if there is no route.
std::string LocalEnd(const addrinfo& remote) {
  const int fd = socket(remote.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  sockaddr_storage local = {};
  socklen_t size = sizeof(local);
  const bool known = connect(fd, remote.ai_addr, remote.ai_addrlen) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) == 0;
  close(fd);
  std::array<char, NI_MAXHOST> host = {};
  if (!known || getnameinfo(reinterpret_cast<const sockaddr*>(&local), size, host.data(),
                            host.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return host.data();
}

}  // namespace

absl::StatusOr<std::string> SourceAddressTo(const std::string& target) {
  const size_t colon = target.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == target.size()) {
    return Error(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("address '", target, "' is not HOST:PORT"));
  }
  std::string host = target.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), target.c_str() + colon + 1, &hints, &found);
  if (failed != 0) {
    return Error(absl::StatusCode::kUnavailable,
                 absl::StrCat("'", target, "' has no address: ", gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  for (const addrinfo* remote = list.get(); remote != nullptr; remote = remote->ai_next) {
    std::string local = LocalEnd(*remote);
    if (!local.empty()) return local;
  }
  return Error(absl::StatusCode::kUnavailable, absl::StrCat("no route leads to '", target, "'"));
}

}  // namespace muster
