#ifndef MUSTER_WORKER_OPS_GROUP_NAMES_H_
#define MUSTER_WORKER_OPS_GROUP_NAMES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "common/base/monitor.h"
#include "common/base/natural_order.h"
#include "worker/ops/group_coordinator.h"

namespace muster {

// Names for the groups of a process, by which code that was handed only a string finds them.
//
// The k-th group that was named "tp" is "tp:k", counted from 0; no name is ever given again. It
// lasts as long as the group: when that goes, so does its entry.
//
// Thread safety: any method from any thread. May go before the groups.
class GroupNames {
 public:
  // The longest name to count from.
  static constexpr size_t kNameMax = 128;

  struct Named {
    std::string name;
    std::shared_ptr<GroupCoordinator> group;  // Its entry goes with the last copy.
  };

  // Takes `group` over under a new name that begins with `base`; "anonymous" if that is empty.
  //
  // kInvalidArgument (invalid_name) if `base` is longer than kNameMax or has a colon.
  absl::StatusOr<Named> Add(std::string_view base, std::unique_ptr<GroupCoordinator> group);

  // The group of a name. kNotFound (unknown_group): none ever had it, or it is gone, which is told.
  absl::StatusOr<std::shared_ptr<GroupCoordinator>> Find(std::string_view name) const;

  // All names in use, in natural order.
  std::vector<std::string> names() const;

 private:
  struct Entries {
    Monitor monitor;
    std::map<std::string, std::weak_ptr<GroupCoordinator>, NaturalLess> groups
        ABSL_GUARDED_BY(monitor);
    std::map<std::string, int64_t, std::less<>> counts ABSL_GUARDED_BY(monitor);
  };

  // Tells whether `name` was given once.
  static bool WasGiven(std::string_view name, const Entries& entries)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(entries.monitor);

  const std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
};

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_GROUP_NAMES_H_
