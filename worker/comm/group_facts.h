#ifndef MUSTER_WORKER_COMM_GROUP_FACTS_H_
#define MUSTER_WORKER_COMM_GROUP_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/layout.h"

namespace muster {

// Who is at one place of a group.
struct GroupMember {
  GlobalRank rank;
  Incarnation incarnation;

  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};

// What a communicator is the end of. A value that never changes once the communicator is built.
struct GroupFacts {
  JobUid job;
  Epoch epoch;                       // In which it was built.
  GroupId id;                        // In the layout of that epoch.
  std::string name;                  // In full, as "wan/dit.sp#1".
  GroupRank rank;                    // Of this process.
  std::vector<GroupMember> members;  // By group rank; this process is among them.

  int32_t size() const { return static_cast<int32_t>(members.size()); }
  const GroupMember& member(GroupRank at) const { return members[static_cast<size_t>(at.value)]; }
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GROUP_FACTS_H_
