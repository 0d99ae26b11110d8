#include "common/support/yaml_text.h"

#include <yaml-cpp/yaml.h>

namespace muster {

std::string JsonToYaml(const std::string& json) {
  YAML::Node node = YAML::Load(json);
  node.SetStyle(YAML::EmitterStyle::Block);
  YAML::Emitter yaml;
  yaml.SetMapFormat(YAML::Block);
  yaml.SetSeqFormat(YAML::Block);
  yaml << node;
  return std::string(yaml.c_str()) + "\n";
}

}  // namespace muster
