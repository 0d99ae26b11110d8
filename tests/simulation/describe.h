#ifndef MUSTER_TESTS_SIMULATION_DESCRIBE_H_
#define MUSTER_TESTS_SIMULATION_DESCRIBE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "common/session/session.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "tests/simulation/build_hall.h"
#include "worker/core/effects.h"
#include "worker/core/events.h"

// Messages, events and effects of both machines as one short line each, for traces and golden
// stories, and as a number, for comparing runs.
namespace muster::sim {

std::string Describe(const coordinator::Event& event);
std::string Describe(const coordinator::Effect& effect);
std::string Describe(const worker::Event& event);
std::string Describe(const worker::Effect& effect);
std::string Describe(const coordinator::JournalRecord& record);
std::string Describe(const Assignment& assignment);
std::string Describe(const Report& report);
std::string Describe(const LostMember& lost);
std::string Describe(const GroupKey& key);

std::string_view Name(HoldingState state);
std::string_view Name(LossCause cause);
std::string_view Name(coordinator::NoteKind kind);

// "OK", or the code, the kind of the detail, and the text.
std::string DescribeStatus(const absl::Status& status);

// Equal values give equal numbers, on every platform.
uint64_t Digest(const coordinator::Event& event);
uint64_t Digest(const coordinator::Effect& effect);
uint64_t Digest(const worker::Event& event);
uint64_t Digest(const worker::Effect& effect);

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_DESCRIBE_H_
