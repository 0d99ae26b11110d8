#ifndef MUSTER_CLI_PLAN_VIEW_H_
#define MUSTER_CLI_PLAN_VIEW_H_

#include <string>

#include "common/layout/layout.h"
#include "common/layout/weights.h"
#include "muster/v1/plan.pb.h"

namespace muster::cli {

// All of `layout`, for people and programs.
v1::PlanView MakePlanView(const Layout& layout, const std::string& job);

// What changes where `to` follows `from` and every rank of both stays the same process.
v1::PlanChangeView MakePlanChangeView(const Layout& from, const Layout& to, const std::string& job,
                                      const WeightRule& weights);

}  // namespace muster::cli

#endif  // MUSTER_CLI_PLAN_VIEW_H_
