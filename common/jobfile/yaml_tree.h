#ifndef MUSTER_COMMON_JOBFILE_YAML_TREE_H_
#define MUSTER_COMMON_JOBFILE_YAML_TREE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/error_kind.h"

namespace muster {

inline constexpr size_t kYamlBytesMax = 1 << 20;  // of a document
inline constexpr int kYamlDepthMax = 32;          // of lists and maps inside each other

// Where something is in a file; both count from 1.
struct YamlPlace {
  int line = 1;
  int column = 1;

  friend bool operator==(const YamlPlace&, const YamlPlace&) = default;
};

struct YamlEntry;

// A value of a document.
struct YamlNode {
  enum class Kind {
    kNull,  // Nothing, "~" or "null".
    kText,  // Everything else that is neither list nor map; numbers too.
    kList,
    kMap,
  };

  Kind kind = Kind::kNull;
  YamlPlace place;
  std::string text;                // Of kText; UTF-8.
  bool quoted = false;             // Of kText: text even if it looks like something else.
  std::vector<YamlNode> items;     // Of kList.
  std::vector<YamlEntry> entries;  // Of kMap, in the order of the file; keys are unique.
};

// A key of a map, with its value.
struct YamlEntry {
  std::string key;
  YamlPlace place;  // Of the key.
  YamlNode value;
};

// Reads the one document of `text`. `source`, such as a file name, stands before line and column in
// errors.
//
// Only plain data is taken: anchors, aliases and tags are refused, so what a file says is never
// larger than the file. Errors: kInvalidArgument with an ErrorDetail:
//   limit_exceeded   more than kYamlBytesMax bytes, deeper than kYamlDepthMax
//   duplicate_name   a key twice in one map
//   invalid_request  everything else: not UTF-8, not YAML, no document or more than one, a key that
//                    is not text
absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view source);

// The error "wan.yaml:3:7: MESSAGE" about `place` of `source`.
absl::Status YamlError(ErrorKind kind, std::string_view source, YamlPlace place,
                       std::string_view message, std::string_view remedy);

}  // namespace muster

#endif  // MUSTER_COMMON_JOBFILE_YAML_TREE_H_
