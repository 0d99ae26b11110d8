#ifndef MUSTER_TESTS_COORDINATOR_RUNTIME_LOG_CAPTURE_H_
#define MUSTER_TESTS_COORDINATOR_RUNTIME_LOG_CAPTURE_H_

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/support/log.h"

namespace muster::coordinator {

// Takes the log of the process for as long as it lives; afterwards logs go to stderr again. One at
// a time, and read only while nobody logs.
class LogCapture {
 public:
  LogCapture() { SetUpLog({.level = LogLevel::kDebug, .component = "coordinator", .out = &text_}); }
  ~LogCapture() { SetUpLog({.format = DefaultLogFormat()}); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // What was logged so far, as JSON.
  std::vector<std::string> Lines() const {
    return absl::StrSplit(text_.str(), '\n', absl::SkipEmpty());
  }

 private:
  std::ostringstream text_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_RUNTIME_LOG_CAPTURE_H_
