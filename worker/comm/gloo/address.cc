#include "worker/comm/gloo/address.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

const sockaddr_in& AsIpv4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& AsIpv6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

absl::Status Unusable(std::string_view text, std::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("address '", ToAbsl(text), "' cannot be used, want ", ToAbsl(wanted)));
}

// Adds the ports of a file such as /proc/self/net/tcp: a headline, then a line for each socket with
// its local address and port, hexadecimal, as the second word and its state as the fourth.
void AddListeningPorts(const char* path, std::set<uint16_t>* ports) {
  constexpr absl::string_view kListen = "0A";
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 4 || words[3] != kListen) continue;
    const size_t colon = words[1].rfind(':');
    uint32_t port = 0;
    if (colon != absl::string_view::npos &&
        absl::SimpleHexAtoi(words[1].substr(colon + 1), &port)) {
      ports->insert(static_cast<uint16_t>(port));
    }
  }
}

}  // namespace

absl::StatusOr<SocketAddress> SocketAddress::Parse(std::string_view ip, uint16_t port) {
  constexpr std::string_view kWanted = "the number of one interface, as 10.0.0.1 or fd00::1";
  const std::string text(ip);
  SocketAddress address;
  if (in_addr ipv4; inet_pton(AF_INET, text.c_str(), &ipv4) == 1) {
    const uint32_t number = ntohl(ipv4.s_addr);
    if (number == INADDR_ANY || IN_MULTICAST(number) || number == INADDR_BROADCAST) {
      return Unusable(ip, kWanted);
    }
    auto& out = reinterpret_cast<sockaddr_in&>(address.storage_);
    out.sin_family = AF_INET;
    out.sin_addr = ipv4;
    out.sin_port = htons(port);
    return address;
  }
  if (in6_addr ipv6; inet_pton(AF_INET6, text.c_str(), &ipv6) == 1) {
    if (IN6_IS_ADDR_UNSPECIFIED(&ipv6) || IN6_IS_ADDR_MULTICAST(&ipv6)) {
      return Unusable(ip, kWanted);
    }
    auto& out = reinterpret_cast<sockaddr_in6&>(address.storage_);
    out.sin6_family = AF_INET6;
    out.sin6_addr = ipv6;
    out.sin6_port = htons(port);
    return address;
  }
  return Unusable(ip, kWanted);
}

absl::StatusOr<SocketAddress> SocketAddress::ParseEndpoint(std::string_view text) {
  constexpr std::string_view kWanted = "IP:PORT or [IP]:PORT";
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Unusable(text, kWanted);
  std::string_view ip = text.substr(0, colon);
  const bool bracketed = ip.size() >= 2 && ip.front() == '[' && ip.back() == ']';
  if (bracketed) ip = ip.substr(1, ip.size() - 2);
  uint32_t port = 0;
  if (!absl::SimpleAtoi(ToAbsl(text.substr(colon + 1)), &port) || port == 0 || port > 65535) {
    return Unusable(text, kWanted);
  }
  MUSTER_ASSIGN_OR_RETURN(SocketAddress address, Parse(ip, static_cast<uint16_t>(port)));
  if (address.is_ipv6() != bracketed) return Unusable(text, kWanted);
  return address;
}

SocketAddress SocketAddress::FromStorage(const sockaddr_storage& storage) {
  MUSTER_CHECK(storage.ss_family == AF_INET || storage.ss_family == AF_INET6,
               "a socket of another family");
  SocketAddress address;
  address.storage_ = storage;
  return address;
}

std::string SocketAddress::ToString() const {
  char ip[INET6_ADDRSTRLEN] = {};
  if (is_ipv6()) {
    inet_ntop(AF_INET6, &AsIpv6(storage_).sin6_addr, ip, sizeof(ip));
    return absl::StrCat("[", ip, "]:", port());
  }
  inet_ntop(AF_INET, &AsIpv4(storage_).sin_addr, ip, sizeof(ip));
  return absl::StrCat(ip, ":", port());
}

uint16_t SocketAddress::port() const {
  return ntohs(is_ipv6() ? AsIpv6(storage_).sin6_port : AsIpv4(storage_).sin_port);
}

socklen_t SocketAddress::length() const {
  return is_ipv6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

bool SocketAddress::Dials(const SocketAddress& other) const {
  if (is_ipv6()) {
    const sockaddr_in6& a = AsIpv6(storage_);
    const sockaddr_in6& b = AsIpv6(other.storage_);
    const int order = std::memcmp(&a.sin6_addr, &b.sin6_addr, sizeof(in6_addr));
    return order != 0 ? order > 0 : a.sin6_port > b.sin6_port;
  }
  const sockaddr_in& a = AsIpv4(storage_);
  const sockaddr_in& b = AsIpv4(other.storage_);
  const int order = std::memcmp(&a.sin_addr, &b.sin_addr, sizeof(in_addr));
  return order != 0 ? order > 0 : a.sin_port > b.sin_port;
}

absl::Status CheckBindable(const SocketAddress& address) {
  const int fd = socket(address.storage().ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd == -1) {
    return absl::ResourceExhaustedError(absl::StrCat("no socket: ", std::strerror(errno)));
  }
  const int result =
      bind(fd, reinterpret_cast<const sockaddr*>(&address.storage()), address.length());
  const int error = errno;
  close(fd);
  if (result == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", address.ToString(), ": ",
                                                 std::strerror(error),
                                                 "; want an address of this machine"));
}

std::set<uint16_t> ListeningPorts() {
  std::set<uint16_t> ports;
  AddListeningPorts("/proc/self/net/tcp", &ports);
  AddListeningPorts("/proc/self/net/tcp6", &ports);
  return ports;
}

int64_t UntakenBytes(const std::set<uint16_t>& ports) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  int64_t sum = 0;
  while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder.get())) {
    int fd = -1;
    if (!absl::SimpleAtoi(entry->d_name, &fd)) continue;
    sockaddr_storage storage = {};
    socklen_t length = sizeof(storage);
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) continue;
    if (storage.ss_family != AF_INET && storage.ss_family != AF_INET6) continue;
    if (ports.count(SocketAddress::FromStorage(storage).port()) == 0) continue;
    int untaken = 0;
    if (ioctl(fd, SIOCOUTQ, &untaken) == 0) sum += untaken;
  }
  return sum;
}

}  // namespace muster
