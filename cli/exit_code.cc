#include "cli/exit_code.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"

namespace muster::cli {
namespace {

void Print(const absl::Status& status) {
  std::string line =
      absl::StrCat("Error: ", absl::StatusCodeToString(status.code()), ": ", status.message());
  const std::optional<ErrorDetail> detail = DetailOf(status);
  if (detail.has_value() && !detail->remedy.empty()) absl::StrAppend(&line, "; ", detail->remedy);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return kDenied;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kAlreadyExists:
      return kConflict;
    default:
      return kFailed;
  }
}

int Fail(const absl::Status& status) {
  Print(status);
  return ExitCodeOf(status);
}

int FailUsage(const absl::Status& status) {
  Print(status);
  return kUsage;
}

}  // namespace muster::cli
