#ifndef MUSTER_COMMON_JOBFILE_PARTS_H_
#define MUSTER_COMMON_JOBFILE_PARTS_H_

#include <string>

#include "common/jobfile/yaml_reader.h"
#include "common/jobfile/yaml_tree.h"
#include "google/protobuf/duration.pb.h"
#include "muster/v1/types.pb.h"

// The parts of a job file. `what` names the part in errors, as "spec.meshes[0]".
namespace muster {

v1::Mesh ReadMeshPart(YamlReader& reader, const YamlNode& node, const std::string& what);
v1::ExplicitGroups ReadGroupsPart(YamlReader& reader, const YamlNode& node,
                                  const std::string& what);
v1::Backend ReadBackendPart(YamlReader& reader, const YamlNode& node, const std::string& what);
v1::Policy ReadPolicyPart(YamlReader& reader, const YamlNode& node, const std::string& what);
v1::DeadlineOverrides ReadDeadlinesPart(YamlReader& reader, const YamlNode& node,
                                        const std::string& what);
google::protobuf::Duration ReadTimePart(YamlReader& reader, const YamlNode& node,
                                        const std::string& what);

}  // namespace muster

#endif  // MUSTER_COMMON_JOBFILE_PARTS_H_
