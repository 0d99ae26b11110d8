#ifndef MUSTER_COMMON_JOBFILE_RUN_CASES_H_
#define MUSTER_COMMON_JOBFILE_RUN_CASES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/jobfile/layout_cases.h"
#include "common/layout/preset/preset_kind.h"

namespace muster {

// Puts cases to the presets and compares the answers.

// Tells whether the case is about the state of a process, such as a second initialisation, and not
// about the groups that follow from parameters.
bool IsStateCase(const LayoutCase& layout_case);

// The groups that the case asks for, or why they cannot be. Cases that call a preset go through
// Layout::Create(), so that all of its rules hold for them too.
//
// Errors: those of the preset or generator; kInvalidArgument of kind unknown_name for an entry
// point that is not known; of kind invalid_request if the case lacks what every call needs.
absl::StatusOr<std::vector<PresetKind>> AnswerCase(const LayoutCase& layout_case);

// Gives OK if the answer is what the case says: the same kinds with the same groups and the same
// ranks, all in the same order; or an error of the same kind. In two points less is asked for. A
// system that left some ranks without a group (rank_not_in_any_group of fastvideo) may be answered
// by not_divisible. Of a Megatron layout above 128 ranks the kinds that the case lists are compared
// only.
//
// Errors: kFailedPrecondition, saying what differs first.
absl::Status CheckCase(const LayoutCase& layout_case);

// How many cases there were of each sort.
struct CasesReport {
  int passed = 0;
  int deferred = 0;                   // state cases, which are not looked at
  std::vector<std::string> failures;  // "ID: what differs"

  // "golden: 507 passed, 0 failed\nstate: 22 deferred\n".
  std::string Summary() const;
};

CasesReport RunCases(const std::vector<LayoutCase>& cases);

}  // namespace muster

#endif  // MUSTER_COMMON_JOBFILE_RUN_CASES_H_
