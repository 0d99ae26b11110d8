#ifndef MUSTER_COMMON_WIRE_DEPARTURE_H_
#define MUSTER_COMMON_WIRE_DEPARTURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/session/session.h"
#include "muster/v1/worker.pb.h"

// How a worker goes, to and from its wire form. Reading promises what report.h says.
namespace muster {

// One process of a worker says that it leaves.
struct Leave {
  std::string job;
  WorkerId worker;
  Incarnation incarnation;

  friend bool operator==(const Leave&, const Leave&) = default;
};

// The process of a worker ended.
struct Exit {
  std::string job;
  WorkerId worker;
  Incarnation incarnation;
  bool by_signal = false;
  int32_t number = 0;  // The code it exited with, 0 to 255, or the signal, 1 to 64.

  friend bool operator==(const Exit&, const Exit&) = default;
};

v1::LeaveRequest ToProto(const Leave& leave);
absl::StatusOr<Leave> FromProto(const v1::LeaveRequest& wire);

v1::ReportExitRequest ToProto(const Exit& exit);
absl::StatusOr<Exit> FromProto(const v1::ReportExitRequest& wire);

// "exit code 3" or "signal 9".
std::string ExitText(const Exit& exit);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_DEPARTURE_H_
