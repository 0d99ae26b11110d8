#include "worker/agent/host_facts.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace muster::worker {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  return std::string(absl::StripAsciiWhitespace(content.str()));
}

// The inode of a namespace of this process, as "4026531836"; empty if the system does not tell.
std::string Namespace(const char* kind) {
  std::array<char, 64> link = {};
  const std::string path = absl::StrCat("/proc/self/ns/", kind);
  const ssize_t size = readlink(path.c_str(), link.data(), link.size() - 1);
  if (size <= 0) return "";
  const std::string text(link.data(), static_cast<size_t>(size));  // "pid:[4026531836]"
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  return text.substr(open + 1, close - open - 1);
}

std::string Hostname() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

}  // namespace

HostFacts ReadHostFacts(const std::string& configured) {
  HostFacts facts;
  facts.hostname = Hostname();
  facts.boot_id = ReadText("/proc/sys/kernel/random/boot_id");
  facts.pid_namespace = Namespace("pid");
  facts.pid = getpid();
  facts.process_start = ReadProcessStart(facts.pid).value_or(0);
  const std::string& machine = facts.boot_id.empty() ? facts.hostname : facts.boot_id;
  facts.host_id = configured.empty() ? absl::StrCat(machine, "/", Namespace("ipc")) : configured;
  return facts;
}

std::optional<int64_t> ReadProcessStart(int64_t pid) {
  const std::string text = ReadText(absl::StrCat("/proc/", pid, "/stat"));
  // The name of the program stands in brackets and may itself hold spaces and brackets.
  const size_t after_name = text.rfind(") ");
  if (after_name == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = absl::StrSplit(text.substr(after_name + 2), ' ');
  constexpr size_t kState = 0;   // Field 3 of the file.
  constexpr size_t kStart = 19;  // Field 22.
  int64_t start = 0;
  if (fields.size() <= kStart || !absl::SimpleAtoi(fields[kStart], &start)) return std::nullopt;
  if (fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  return start;
}

bool IsGone(const ProcessProbe& probe) {
  const std::optional<int64_t> start = ReadProcessStart(probe.pid);
  return !start.has_value() || *start != probe.process_start;
}

}  // namespace muster::worker
