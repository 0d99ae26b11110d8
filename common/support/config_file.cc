#include "common/support/config_file.h"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"

namespace muster {
namespace {

constexpr char kApiVersion[] = "muster/v1";

absl::Status FileError(absl::StatusCode code, const std::string& where, const std::string& what) {
  return MakeError(code, absl::StrCat("file ", where, ": ", what),
                   {.kind = ErrorKind::kConfigInvalid});
}

absl::Status BadFile(const std::string& where, const std::string& what) {
  return FileError(absl::StatusCode::kInvalidArgument, where, what);
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return FileError(absl::StatusCode::kNotFound, path, "cannot be opened; want a file to read");
  }
  std::string text(kConfigFileMaxBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return FileError(absl::StatusCode::kNotFound, path, "cannot be read");
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kConfigFileMaxBytes) {
    return BadFile(path, absl::StrCat("is larger than ", kConfigFileMaxBytes, " bytes"));
  }
  return text;
}

absl::StatusOr<YAML::Node> ParseMapping(const std::string& path, const std::string& text) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() != 1 || !documents.front().IsMap()) {
      return BadFile(path, "want one mapping of keys to values");
    }
    return documents.front();
  } catch (const YAML::Exception& error) {
    return BadFile(absl::StrCat(path, ":", error.mark.line + 1),
                   absl::StrCat("is not YAML: ", error.msg));
  }
}

}  // namespace

absl::StatusOr<std::map<std::string, FileValue>> ReadConfigFile(const std::string& path,
                                                                std::string_view kind) {
  MUSTER_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  MUSTER_ASSIGN_OR_RETURN(const YAML::Node root, ParseMapping(path, text));

  std::map<std::string, FileValue> values;
  for (const auto& entry : root) {
    const int line = entry.first.Mark().line + 1;
    const std::string where = absl::StrCat(path, ":", line);
    if (!entry.first.IsScalar()) return BadFile(where, "a key is not a plain word");
    const std::string& key = entry.first.Scalar();
    if (!entry.second.IsScalar() && !entry.second.IsNull()) {
      return BadFile(where, absl::StrCat("key '", key, "': want a plain value"));
    }
    const std::string value = entry.second.IsScalar() ? entry.second.Scalar() : "";
    if (!values.emplace(key, FileValue{value, line}).second) {
      return BadFile(where, absl::StrCat("key '", key, "' appears twice"));
    }
  }

  for (const auto& [key, wanted] : {std::pair<std::string, std::string>("apiVersion", kApiVersion),
                                    std::pair<std::string, std::string>("kind", kind)}) {
    const auto found = values.find(key);
    if (found == values.end()) continue;
    if (found->second.text != wanted) {
      return BadFile(absl::StrCat(path, ":", found->second.line),
                     absl::StrCat(key, " is '", found->second.text, "', want '", wanted, "'"));
    }
    values.erase(found);
  }
  return values;
}

}  // namespace muster
