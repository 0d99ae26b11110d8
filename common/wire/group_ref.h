#ifndef MUSTER_COMMON_WIRE_GROUP_REF_H_
#define MUSTER_COMMON_WIRE_GROUP_REF_H_

#include <string_view>

#include "common/layout/layout.h"
#include "common/wire/reader.h"
#include "muster/v1/worker.pb.h"

namespace muster {

inline v1::GroupRef ToProto(GroupId group) {
  v1::GroupRef wire;
  wire.set_kind(group.kind);
  wire.set_index(group.index);
  return wire;
}

// Reads the group in field `name`. Only a layout can tell whether there is such a group.
inline GroupId ReadGroupRef(WireReader& reader, std::string_view name, const v1::GroupRef& wire) {
  const WireReader::Scope scope(reader, name);
  return {.kind = reader.Int32("kind", wire.kind(), 0),
          .index = reader.Int32("index", wire.index(), 0)};
}

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_GROUP_REF_H_
