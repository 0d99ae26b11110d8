#include "worker/ops/group_names.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"

namespace muster {

absl::StatusOr<GroupNames::Named> GroupNames::Add(std::string_view base,
                                                  std::unique_ptr<GroupCoordinator> group) {
  if (base.size() > kNameMax || base.find(':') != std::string_view::npos) {
    return MakeError(absl::StatusCode::kInvalidArgument,
                     absl::StrCat("a group cannot be named '", ToAbsl(base.substr(0, kNameMax)),
                                  "', want at most ", kNameMax, " letters and no colon"),
                     {.kind = ErrorKind::kInvalidName});
  }
  const std::string counted(base.empty() ? "anonymous" : base);
  MonitorLock lock(&entries_->monitor);
  Named named;
  named.name = absl::StrCat(counted, ":", entries_->counts[counted]++);
  named.group = std::shared_ptr<GroupCoordinator>(
      group.release(), [entries = entries_, name = named.name](GroupCoordinator* gone) {
        {
          MonitorLock entries_lock(&entries->monitor);
          entries->groups.erase(name);
        }
        delete gone;
      });
  entries_->groups[named.name] = named.group;
  return named;
}

absl::StatusOr<std::shared_ptr<GroupCoordinator>> GroupNames::Find(std::string_view name) const {
  MonitorLock lock(&entries_->monitor);
  const auto found = entries_->groups.find(name);
  if (found != entries_->groups.end()) {
    // It may be going at this moment, on another thread that waits for the lock.
    if (std::shared_ptr<GroupCoordinator> group = found->second.lock()) return group;
  }
  return MakeError(absl::StatusCode::kNotFound,
                   WasGiven(name, *entries_)
                       ? absl::StrCat("group '", ToAbsl(name), "' is gone")
                       : absl::StrCat("no group has the name '", ToAbsl(name), "'"),
                   {.kind = ErrorKind::kUnknownGroup, .group = std::string(name)});
}

std::vector<std::string> GroupNames::names() const {
  MonitorLock lock(&entries_->monitor);
  std::vector<std::string> names;
  for (const auto& entry : entries_->groups) names.push_back(entry.first);
  return names;
}

bool GroupNames::WasGiven(std::string_view name, const Entries& entries) {
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return false;
  const auto counted = entries.counts.find(name.substr(0, colon));
  int64_t number = 0;
  return counted != entries.counts.end() &&
         absl::SimpleAtoi(ToAbsl(name.substr(colon + 1)), &number) && number >= 0 &&
         number < counted->second;
}

}  // namespace muster
