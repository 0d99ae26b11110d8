#include "tests/coordinator/server/listening.h"

#include <arpa/inet.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace muster::coordinator {
namespace {

constexpr char kListening[] = "0A";

std::set<std::string> OwnSockets() {
  std::set<std::string> inodes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string link = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && link.rfind("socket:[", 0) == 0) inodes.insert(link.substr(8, link.size() - 9));
  }
  return inodes;
}

// The kernel writes an address as words of 32 bits in its own byte order.
std::string HostText(const std::string& hex) {
  std::array<uint32_t, 4> words = {};
  for (size_t i = 0; i * 8 < hex.size() && i < words.size(); ++i) {
    (void)absl::SimpleHexAtoi(hex.substr(i * 8, 8), &words[i]);
  }
  char text[INET6_ADDRSTRLEN] = {};
  if (hex.size() == 8) return inet_ntop(AF_INET, words.data(), text, sizeof(text));
  const std::string host = inet_ntop(AF_INET6, words.data(), text, sizeof(text));
  // An IPv6 socket that is bound to an address of IPv4.
  constexpr std::string_view kMapped = "::ffff:";
  if (host.rfind(kMapped, 0) == 0) return host.substr(kMapped.size());
  return absl::StrCat("[", host, "]");
}

}  // namespace

std::set<std::string> ListeningAddresses() {
  const std::set<std::string> own = OwnSockets();
  std::set<std::string> addresses;
  for (const char* path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
      if (words.size() < 10 || words[3] != kListening || !own.contains(words[9])) continue;
      const size_t colon = words[1].find(':');
      uint32_t port = 0;
      (void)absl::SimpleHexAtoi(words[1].substr(colon + 1), &port);
      addresses.insert(absl::StrCat(HostText(words[1].substr(0, colon)), ":", port));
    }
  }
  return addresses;
}

}  // namespace muster::coordinator
