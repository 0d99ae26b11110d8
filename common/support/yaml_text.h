#ifndef MUSTER_COMMON_SUPPORT_YAML_TEXT_H_
#define MUSTER_COMMON_SUPPORT_YAML_TEXT_H_

#include <string>

namespace muster {

// The same data as block-style YAML, ended by a line break. `json` is well formed.
std::string JsonToYaml(const std::string& json);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_YAML_TEXT_H_
