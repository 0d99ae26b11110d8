#include "common/session/job_spec.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsNameChar(char c) { return IsLetterOrDigit(c) || c == '-'; }

absl::Status CheckSpares(int32_t spares) {
  if (spares >= 0 && spares <= kSparesMax) return absl::OkStatus();
  ErrorDetail detail;
  detail.kind = spares < 0 ? ErrorKind::kInvalidRequest : ErrorKind::kLimitExceeded;
  detail.remedy = absl::StrCat("Choose 0 to ", kSparesMax, " spares.");
  return MakeError(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("the number of spares is ", spares, ", want 0 to ", kSparesMax),
                   std::move(detail));
}

}  // namespace

absl::Status CheckJobName(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= size_t{kJobNameBytesMax} &&
                    IsLetterOrDigit(name.front()) && IsLetterOrDigit(name.back()) &&
                    std::all_of(name.begin(), name.end(), IsNameChar);
  if (fits) return absl::OkStatus();
  ErrorDetail detail;
  detail.kind = ErrorKind::kInvalidName;
  detail.remedy = "Choose another name.";
  return MakeError(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("the job has the name ", Quoted(name), " of ", name.size(),
                                " bytes, want 1 to ", kJobNameBytesMax,
                                " of a-z, 0-9 and '-', the first and the last a letter or a digit"),
                   std::move(detail));
}

absl::StatusOr<Layout> ValidateJobSpec(const JobSpec& spec) {
  MUSTER_RETURN_IF_ERROR(CheckJobName(spec.name));
  MUSTER_RETURN_IF_ERROR(CheckSpares(spec.spares));
  MUSTER_RETURN_IF_ERROR(DeriveDeadlines(spec.recovery, spec.deadline_overrides).status());
  return Layout::Create(spec.layout);
}

}  // namespace muster
