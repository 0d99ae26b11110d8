#include "common/wire/departure.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/wire/identity.h"
#include "common/wire/reader.h"

namespace muster {
namespace {

constexpr int32_t kExitCodeMax = 255;
constexpr int32_t kSignalMax = 64;

}  // namespace

v1::LeaveRequest ToProto(const Leave& leave) {
  v1::LeaveRequest wire;
  WriteIdentity(leave, wire);
  return wire;
}

absl::StatusOr<Leave> FromProto(const v1::LeaveRequest& wire) {
  WireReader reader("leave");
  Leave leave;
  ReadIdentity(reader, wire, leave);
  return reader.Finish(std::move(leave));
}

v1::ReportExitRequest ToProto(const Exit& exit) {
  v1::ReportExitRequest wire;
  WriteIdentity(exit, wire);
  if (exit.by_signal) {
    wire.set_signal(exit.number);
  } else {
    wire.set_code(exit.number);
  }
  return wire;
}

absl::StatusOr<Exit> FromProto(const v1::ReportExitRequest& wire) {
  WireReader reader("exit");
  Exit exit;
  ReadIdentity(reader, wire, exit);
  exit.by_signal = wire.has_signal();
  if (wire.has_signal()) {
    exit.number = reader.Int32("signal", wire.signal(), 1, kSignalMax);
  } else if (reader.Present("code", wire.has_code())) {
    exit.number = reader.Int32("code", wire.code(), 0, kExitCodeMax);
  }
  return reader.Finish(std::move(exit));
}

std::string ExitText(const Exit& exit) {
  return absl::StrCat(exit.by_signal ? "signal " : "exit code ", exit.number);
}

}  // namespace muster
