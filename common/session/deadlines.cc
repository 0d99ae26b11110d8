#include "common/session/deadlines.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

// Of the divisions below. Peers exchange whole nanoseconds, and both sides must know the same
// value.
absl::Duration Part(absl::Duration whole, int parts) {
  return absl::Trunc(whole / parts, absl::Nanoseconds(1));
}

absl::Status Refuse(std::string_view message, std::string_view remedy) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kInvalidRequest;
  detail.remedy = std::string(remedy);
  return MakeError(absl::StatusCode::kInvalidArgument, message, std::move(detail));
}

// One deadline, or a sum of them, as messages call it: "lease 10s".
struct Named {
  std::string name;
  absl::Duration value;
};

std::string Format(const Named& named) {
  return absl::StrCat(named.name, " ", absl::FormatDuration(named.value));
}

absl::Status CheckPositive(const Named& named) {
  if (named.value > absl::ZeroDuration()) return absl::OkStatus();
  return Refuse(absl::StrCat("deadline ", Format(named), ", want above 0"),
                absl::StrCat("Give ", named.name, " a longer time."));
}

absl::Status CheckOrder(const Named& low, const Named& high) {
  if (low.value <= high.value) return absl::OkStatus();
  return Refuse(absl::StrCat("deadlines are inverted: ", Format(low), " is above ", Format(high),
                             ", want ", low.name, " <= ", high.name),
                absl::StrCat("Lower ", low.name, " or raise ", high.name, "."));
}

Deadlines Derive(absl::Duration recovery, const DeadlineOverrides& overrides) {
  Deadlines d;
  d.recovery = recovery;
  d.lease = overrides.lease.value_or(Part(recovery, 3));
  d.heartbeat = overrides.heartbeat.value_or(Part(d.lease, 5));
  d.margin = Part(d.lease, 5);
  d.prepare = overrides.prepare.value_or(Part(recovery, 6));
  d.build = overrides.build.value_or(Part(recovery, 3));
  d.retire = overrides.retire.value_or(Part(recovery, 6));
  d.abort = overrides.abort.value_or(std::min(absl::Seconds(2), Part(recovery, 10)));
  d.coordinator_lost = overrides.coordinator_lost.value_or(2 * recovery);
  d.join = overrides.join.value_or(absl::Minutes(10));
  d.reattach_window = std::min(absl::Seconds(10), Part(recovery, 3));
  return d;
}

}  // namespace

absl::StatusOr<Deadlines> DeriveDeadlines(absl::Duration recovery,
                                          const DeadlineOverrides& overrides) {
  if (recovery < kRecoveryMin || recovery > kRecoveryMax) {
    return Refuse(absl::StrCat("recovery is ", absl::FormatDuration(recovery), ", want ",
                               absl::FormatDuration(kRecoveryMin), " to ",
                               absl::FormatDuration(kRecoveryMax)),
                  "Choose a recovery time in this range.");
  }
  const Deadlines d = Derive(recovery, overrides);
  const Named all[] = {{"lease", d.lease},   {"heartbeat", d.heartbeat},
                       {"margin", d.margin}, {"prepare", d.prepare},
                       {"build", d.build},   {"retire", d.retire},
                       {"abort", d.abort},   {"coordinator_lost", d.coordinator_lost},
                       {"join", d.join}};
  for (const Named& named : all) MUSTER_RETURN_IF_ERROR(CheckPositive(named));
  MUSTER_RETURN_IF_ERROR(CheckOrder({"2 x heartbeat", 2 * d.heartbeat}, {"lease", d.lease}));
  MUSTER_RETURN_IF_ERROR(CheckOrder({"lease", d.lease}, {"coordinator_lost", d.coordinator_lost}));
  MUSTER_RETURN_IF_ERROR(CheckOrder({"prepare + build", d.prepare + d.build}, {"join", d.join}));
  MUSTER_RETURN_IF_ERROR(CheckOrder({"abort", d.abort}, {"retire", d.retire}));
  return d;
}

}  // namespace muster
