#ifndef MUSTER_COMMON_SESSION_JOB_SPEC_H_
#define MUSTER_COMMON_SESSION_JOB_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/layout/layout.h"
#include "common/layout/layout_spec.h"
#include "common/session/deadlines.h"

namespace muster {

// What an author wants of a job. Checked as a whole by ValidateJobSpec(); never changed in place.
struct JobSpec {
  // [a-z0-9-], 1 to kJobNameBytesMax bytes, begins and ends with a letter or digit.
  std::string name;

  // Its world size is the number of seats.
  LayoutSpec layout;

  // Workers beyond the world size that may wait for a seat: 0 to kSparesMax.
  int32_t spares = 0;

  // The one number that all deadlines follow from.
  absl::Duration recovery = absl::Seconds(30);
  DeadlineOverrides deadline_overrides;

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

inline constexpr int kJobNameBytesMax = 63;
inline constexpr int32_t kSparesMax = 1024;

// Refuses a name that breaks the rule of JobSpec::name: kInvalidArgument of kind invalid_name, with
// the name and the rule.
absl::Status CheckJobName(std::string_view name);

// Holds `spec` to all its rules and gives the layout that it asks for.
//
// Errors: kInvalidArgument, with an ErrorDetail. The first broken rule is reported, in this order:
//   invalid_name                       the name
//   invalid_request, limit_exceeded    spares below 0, above kSparesMax
//   invalid_request                    the deadlines, as DeriveDeadlines() says
//   the kinds of Layout::Create()      the layout
absl::StatusOr<Layout> ValidateJobSpec(const JobSpec& spec);

}  // namespace muster

#endif  // MUSTER_COMMON_SESSION_JOB_SPEC_H_
