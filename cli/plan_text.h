#ifndef MUSTER_CLI_PLAN_TEXT_H_
#define MUSTER_CLI_PLAN_TEXT_H_

#include <string>

#include "common/support/text_table.h"
#include "muster/v1/plan.pb.h"

// Plans as text for people.
namespace muster::cli {

// A table of the groups and one of the ranks, in which "#1[0]" is the first place of group 1.
std::string PlanTables(const v1::PlanView& view, Headers headers);

// A table of the changes, and what they come to.
std::string PlanTables(const v1::PlanChangeView& view, Headers headers);

// A graph in the language of Graphviz: ranks, groups of two and more, and who is in which. Edges
// have the group rank. Groups without a communicator are dashed.
std::string PlanDot(const v1::PlanView& view);

// The same of the groups that change or stay: kept ones are grey, split ones blue, built ones
// green, retired ones red.
std::string PlanDot(const v1::PlanChangeView& view);

}  // namespace muster::cli

#endif  // MUSTER_CLI_PLAN_TEXT_H_
