#include "cli/exit_code.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/wire/error.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"

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

void PrintJson(const absl::Status& status) {
  nlohmann::json error = nlohmann::json::object();
  std::string fields;
  const v1::ErrorDetail detail = ToProto(DetailOf(status).value_or(ErrorDetail{}));
  if (google::protobuf::util::MessageToJsonString(detail, &fields).ok()) {
    error = nlohmann::json::parse(fields);
  }
  error["code"] = absl::StatusCodeToString(status.code());
  error["message"] = std::string(status.message());
  std::fprintf(stderr, "%s\n",
               error.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
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

int Fail(const absl::Status& status, const std::string& format) {
  Print(status);
  if (format == "json") PrintJson(status);
  return ExitCodeOf(status);
}

int FailUsage(const absl::Status& status) {
  Print(status);
  return kUsage;
}

}  // namespace muster::cli
