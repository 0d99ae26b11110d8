#ifndef MUSTER_COMMON_BASE_ERROR_DETAIL_H_
#define MUSTER_COMMON_BASE_ERROR_DETAIL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/base/error_kind.h"
#include "common/base/ids.h"

namespace muster {

// Limits of what a status carries. Longer text is cut at the end of a letter and ends with "...";
// longer lists lose their tail.
inline constexpr size_t kErrorMessageMaxBytes = 1024;
inline constexpr size_t kErrorNameMaxBytes = 256;
inline constexpr size_t kErrorListMax = 16384;

// The typed part of an error. A field that does not apply stays empty.
struct ErrorDetail {
  ErrorKind kind = ErrorKind::kUnknown;
  std::string job = {};                   // Name of the job.
  std::string group = {};                 // Full name of the group, such as "wan/dit.sp#1".
  Epoch epoch = {};                       // What the job is at, not what the caller said.
  std::vector<GlobalRank> ranks = {};     // Every offender or absentee that has a rank.
  std::vector<std::string> workers = {};  // The same by name of the worker.
  std::vector<std::string> hosts = {};    // Where they are.
  std::string remedy = {};                // What to change, one sentence.

  friend bool operator==(const ErrorDetail&, const ErrorDetail&) = default;
};

// Makes a status of `code`, which is not kOk, with `message` for people and `detail` for programs.
// Both are cut to the limits above: the message to kErrorMessageMaxBytes, names to
// kErrorNameMaxBytes each, lists to kErrorListMax entries, the remedy like a message.
absl::Status MakeError(absl::StatusCode code, std::string_view message, ErrorDetail detail);

// The detail that MakeError() put into `status`; nothing if there is none or it cannot be read.
std::optional<ErrorDetail> DetailOf(const absl::Status& status);

// The bytes of a detail as a status carries them. Kinds travel by name, so that builds with
// different lists understand each other.
std::string EncodeDetail(const ErrorDetail& detail);

// Reads what EncodeDetail() wrote. Safe for any input: gives nothing for bytes that are cut short,
// have something left over or break a limit, and never allocates more than the limits allow. A kind
// of an unknown name becomes ErrorKind::kUnknown.
std::optional<ErrorDetail> DecodeDetail(std::string_view bytes);

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_ERROR_DETAIL_H_
