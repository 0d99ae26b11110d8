#include "worker/agent/fault_point.h"

#if defined(MUSTER_TEST_FAULTS) && MUSTER_TEST_FAULTS

#include <signal.h>
#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/support/config.h"

namespace muster::worker {
namespace {

struct Fault {
  std::string kind;  // Empty: none.
  std::string step;
  std::optional<GlobalRank> rank;
};

constexpr std::pair<FaultStep, const char*> kSteps[] = {
    {FaultStep::kRegistered, "registered"},
    {FaultStep::kLayoutReceived, "layout_received"},
    {FaultStep::kEndpointsSent, "endpoints_sent"},
    {FaultStep::kConnecting, "connecting"},
    {FaultStep::kBuilt, "built"},
    {FaultStep::kInCollective, "in_collective"},
};

std::string NameOf(FaultStep step) {
  for (const auto& [candidate, name] : kSteps) {
    if (candidate == step) return name;
  }
  return "";
}

bool IsKnown(const Fault& fault) {
  bool step_known = false;
  for (const auto& [step, name] : kSteps) step_known = step_known || fault.step == name;
  const bool ends = fault.kind == "kill" || fault.kind == "exit" || fault.kind == "stop";
  const bool can_fail = fault.step == "layout_received" || fault.step == "connecting" ||
                        fault.step == "in_collective";
  return step_known && (ends || (fault.kind == "error" && can_fail));
}

Fault ReadFault() {
  const std::string text = ProcessEnvironment("MUSTER_TEST_FAULT").value_or("");
  if (text.empty()) return {};
  const std::vector<std::string> place = absl::StrSplit(text, '#');
  const std::vector<std::string> words = absl::StrSplit(place[0], '@');
  Fault fault;
  fault.kind = words[0];
  if (words.size() == 2) fault.step = words[1];
  bool good = place.size() <= 2 && IsKnown(fault);
  if (place.size() == 2) {
    GlobalRank rank;
    good = absl::SimpleAtoi(place[1], &rank.value) && good;
    fault.rank = rank;
  }
  MUSTER_CHECK(good, absl::StrCat("MUSTER_TEST_FAULT is '", text,
                                  "', want kill|exit|stop|error@STEP[#RANK] with a step that can "
                                  "fail so"));
  return fault;
}

}  // namespace

absl::Status FaultPoint(FaultStep step, std::optional<GlobalRank> rank) {
  static const Fault fault = ReadFault();
  static std::atomic<bool> fired{false};
  if (fault.kind.empty() || fault.step != NameOf(step)) return absl::OkStatus();
  if (fault.rank.has_value() && fault.rank != rank) return absl::OkStatus();
  if (fired.exchange(true)) return absl::OkStatus();
  if (fault.kind == "kill") (void)raise(SIGKILL);
  if (fault.kind == "stop") (void)raise(SIGSTOP);  // This thread stops before it goes on.
  if (fault.kind == "exit") std::_Exit(1);
  if (fault.kind != "error") return absl::OkStatus();
  return absl::InternalError(absl::StrCat("MUSTER_TEST_FAULT asked for an error at ", fault.step));
}

}  // namespace muster::worker

#endif
