#ifndef MUSTER_COORDINATOR_SERVER_WHY_VIEW_H_
#define MUSTER_COORDINATOR_SERVER_WHY_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/base/time.h"
#include "coordinator/core/state.h"
#include "muster/v1/admin.pb.h"

// Why something is not ready, from the machine's state. Pure.
namespace muster::coordinator {

struct ReadyState {
  bool ready = false;
  std::string reason;   // One word in CamelCase.
  std::string message;  // For people.
};
ReadyState JobReadiness(const Job& job);

// Whether the holder of `rank` is in the committed epoch and that epoch stands.
bool IsActive(const Job& job, GlobalRank rank);

// Why the job, or the worker or group that `request` names, is not ready.
//
// Errors: kNotFound (unknown_worker, unknown_group).
absl::StatusOr<v1::WhyReply> ViewWhy(const Job& job, const v1::WhyRequest& request,
                                     MonotonicTime now);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_WHY_VIEW_H_
