#include "common/rpc/identity.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr std::string_view kScheme = "spiffe://";
constexpr std::string_view kPlain = "-._~/";

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
        kPlain.find(c) != std::string_view::npos) {
      escaped.push_back(c);
    } else {
      absl::StrAppend(&escaped, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return escaped;
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3 || !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      return std::nullopt;
    }
    plain += absl::HexStringToBytes(std::string(text.substr(i + 1, 2)));
    i += 2;
  }
  return plain;
}

// Takes `prefix` off the front of `text`; false if it is not there.
bool Take(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string IdentityUri(std::string_view domain, const Identity& identity) {
  std::string uri(kScheme);
  uri.append(domain).append("/muster/");
  if (identity.role == Role::kCoordinator) return uri.append("coordinator");
  if (identity.role == Role::kAdmin) return uri.append("admin");
  uri.append("job/").append(identity.job);
  if (!identity.worker.empty()) uri.append("/worker/").append(Escape(identity.worker));
  return uri;
}

std::optional<Identity> ParseIdentity(std::string_view uri) {
  if (!Take(uri, kScheme)) return std::nullopt;
  const size_t slash = uri.find('/');
  if (slash == 0 || slash == std::string_view::npos) return std::nullopt;
  uri.remove_prefix(slash);
  if (!Take(uri, "/muster/")) return std::nullopt;
  if (uri == "coordinator") return Identity{Role::kCoordinator, "", ""};
  if (uri == "admin") return Identity{Role::kAdmin, "", ""};
  if (!Take(uri, "job/")) return std::nullopt;
  const size_t end = uri.find('/');
  Identity identity{Role::kWorker, std::string(uri.substr(0, end)), ""};
  if (identity.job.empty()) return std::nullopt;
  if (end == std::string_view::npos) return identity;
  uri.remove_prefix(end);
  if (!Take(uri, "/worker/")) return std::nullopt;
  const std::optional<std::string> worker = Unescape(uri);
  if (!worker.has_value() || worker->empty()) return std::nullopt;
  identity.worker = *worker;
  return identity;
}

bool NamesCoordinator(const std::vector<std::string>& uris) {
  return std::any_of(uris.begin(), uris.end(), [](const std::string& uri) {
    const std::optional<Identity> identity = ParseIdentity(uri);
    return identity.has_value() && identity->role == Role::kCoordinator;
  });
}

}  // namespace muster
