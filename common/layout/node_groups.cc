#include "common/layout/node_groups.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace muster {

ExplicitGroups NodeGroups(std::span<const std::string> host_ids) {
  ExplicitGroups groups = {.name = std::string(kNodeGroupsName)};
  std::map<std::string_view, size_t> numbers;
  for (size_t rank = 0; rank < host_ids.size(); ++rank) {
    const auto host = numbers.emplace(host_ids[rank], groups.ranks.size());
    if (host.second) groups.ranks.emplace_back();
    groups.ranks[host.first->second].emplace_back(static_cast<int32_t>(rank));
  }
  return groups;
}

}  // namespace muster
