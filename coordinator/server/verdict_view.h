#ifndef MUSTER_COORDINATOR_SERVER_VERDICT_VIEW_H_
#define MUSTER_COORDINATOR_SERVER_VERDICT_VIEW_H_

#include "coordinator/core/verdict.h"
#include "muster/v1/admin.pb.h"

namespace muster::coordinator {

// A verdict as admins see it. Pure.
v1::Verdict ViewVerdict(const Verdict& verdict);

// The same in one sentence.
std::string VerdictSentence(const Verdict& verdict);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_VERDICT_VIEW_H_
