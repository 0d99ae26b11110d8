#ifndef MUSTER_WORKER_COMM_GLOO_CALLS_H_
#define MUSTER_WORKER_COMM_GLOO_CALLS_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "worker/comm/gloo/wire.h"
#include "worker/comm/group_facts.h"

namespace muster {

// What the other ranks are told of `call`. `count` has what all must agree on: the elements of one
// rank's input, of one rank's share for scatter and reduce_scatter, of all ranks for all_gatherv
// and reduce_scatterv; 0 for all_to_allv.
Call HeaderOf(const OperationCall& call);

// What the other ranks are told if this rank refuses its part of what `header` says, because of
// `refusal`, which is an error.
Record RefusalOf(const Call& header, const absl::Status& refusal);

// As "all_reduce(sum, float32 x 8)".
std::string DescribeCall(const Call& call);

// Checks that the members called the same. `records` has what each of them said, by rank, at most
// one for each; a send and a recv count as the same.
//
// Errors, the same on every member that has the same records; no data moved:
//   kInvalidArgument (operation_refused)   some refused their own arguments; they and their reasons
//                                          are named
//   kUnimplemented (operation_refused)     the same, all of them because it is not supported
//   kInvalidArgument (operation_mismatch)  calls differ: the odd ranks are named, both sides if
//                                          neither is the majority, and what each side called
absl::Status CompareCalls(const GroupFacts& facts, std::string_view what,
                          const std::map<GroupRank, Record>& records);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_CALLS_H_
