#include "coordinator/runtime/loop_lane.h"

#include <variant>

namespace muster::coordinator {
namespace {

struct KeyMaker {
  using Key = std::optional<LaneKey>;

  Key operator()(const ApplyRequested&) const { return std::nullopt; }
  Key operator()(const DeleteRequested&) const { return std::nullopt; }
  Key operator()(const HelloReceived&) const { return std::nullopt; }
  Key operator()(const LeaveReceived&) const { return std::nullopt; }
  Key operator()(const ReportReceived& event) const {
    return LaneKey{LaneKind::kReport, event.connection.value, "", ""};
  }
  Key operator()(const StreamReset& event) const {
    return LaneKey{LaneKind::kReset, event.connection.value, "", ""};
  }
  Key operator()(const StreamCut& event) const {
    return LaneKey{LaneKind::kCut, event.connection.value, "", ""};
  }
  Key operator()(const ExitReported& event) const {
    return LaneKey{LaneKind::kExit, event.incarnation.value, event.job, event.worker};
  }
  Key operator()(const Journaled& event) const {
    return LaneKey{LaneKind::kJournaled, event.write.value, "", ""};
  }
  Key operator()(const Tick&) const { return LaneKey{LaneKind::kTick, 0, "", ""}; }
};

}  // namespace

std::optional<LaneKey> LaneKeyOf(const Event& event) { return std::visit(KeyMaker(), event); }

}  // namespace muster::coordinator
