#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/simulation/describe.h"

namespace muster::sim {
namespace {

std::string Group(GroupId group) { return absl::StrCat(group.kind, "#", group.index); }

struct OfEvent {
  std::string operator()(const worker::StreamOpened& e) const {
    return absl::StrCat("stream ", e.session.value, " opened");
  }
  std::string operator()(const worker::StreamClosed& e) const {
    return absl::StrCat("stream ", e.session.value, " closed ", DescribeStatus(e.status));
  }
  std::string operator()(const worker::AssignmentReceived& e) const {
    return absl::StrCat("assignment s", e.session.value, " ", Describe(e.assignment));
  }
  std::string operator()(const worker::EndpointsOpened& e) const {
    return absl::StrCat("endpoints opened E", e.epoch.value);
  }
  std::string operator()(const worker::GroupBuilt& e) const {
    return absl::StrCat("built E", e.epoch.value, " ", Group(e.group));
  }
  std::string operator()(const worker::BuildFailed& e) const {
    return absl::StrCat("build failed E", e.epoch.value, ": ", e.failure.reason);
  }
  std::string operator()(const worker::GroupFreed& e) const {
    return absl::StrCat("freed E", e.epoch.value, " ", Group(e.group),
                        e.leaked.empty() ? "" : " leaked ", e.leaked);
  }
  std::string operator()(const worker::EndpointsClosed& e) const {
    return absl::StrCat("endpoints closed E", e.epoch.value);
  }
  std::string operator()(const worker::PeerReset& e) const {
    return absl::StrCat("peer reset E", e.epoch.value, " r", e.peer.value);
  }
  std::string operator()(const worker::OperationFailed& e) const {
    return absl::StrCat("operation ", e.operation.value, " failed E", e.epoch.value, " ", e.what);
  }
  std::string operator()(const worker::TracesChanged& e) const {
    return absl::StrCat("traces of ", e.traces.size(), " groups");
  }
  std::string operator()(const worker::DoingChanged& e) const {
    return absl::StrCat("doing \"", e.doing, "\"");
  }
  std::string operator()(const worker::ProcessGone& e) const {
    return absl::StrCat("process gone ", absl::Hex(e.incarnation.value & 0xFFFF));
  }
  std::string operator()(const worker::LeaveRequested&) const { return "leave requested"; }
  std::string operator()(const worker::Tick&) const { return "tick"; }
};

struct OfEffect {
  std::string operator()(const worker::OpenStream& e) const {
    return absl::StrCat("open stream ", e.hello.session.value, " ", Describe(e.hello.report));
  }
  std::string operator()(const worker::CloseStream& e) const {
    return absl::StrCat("close stream ", e.session.value, e.leaving ? " leaving" : "");
  }
  std::string operator()(const worker::SendReport& e) const {
    return absl::StrCat("report s", e.session.value, " ", Describe(e.report));
  }
  std::string operator()(const worker::OpenEndpoints& e) const {
    return absl::StrCat("open endpoints E", e.epoch.value, " as r", e.rank.value, " for ",
                        e.groups.size(), " groups");
  }
  std::string operator()(const worker::BuildGroup& e) const {
    return absl::StrCat("build E", e.epoch.value, " ", Group(e.group.id), " as ",
                        e.group.rank.value, " of ", e.group.size);
  }
  std::string operator()(const worker::AbortEpoch& e) const {
    return absl::StrCat("abort E", e.epoch.value, " ", DescribeStatus(e.status));
  }
  std::string operator()(const worker::FreeGroup& e) const {
    return absl::StrCat("free E", e.epoch.value, " ", Group(e.group));
  }
  std::string operator()(const worker::CloseEndpoints& e) const {
    return absl::StrCat("close endpoints E", e.epoch.value);
  }
  std::string operator()(const worker::ActivateEpoch& e) const {
    return absl::StrCat("activate E", e.epoch.value, " as r", e.rank.value);
  }
  std::string operator()(const worker::EndEpoch& e) const {
    return absl::StrCat("end E", e.epoch.value, " ", DescribeStatus(e.status));
  }
  std::string operator()(const worker::CloseGates& e) const {
    return absl::StrCat("close gates E", e.epoch.value, " ", DescribeStatus(e.status));
  }
  std::string operator()(const worker::OpenGates& e) const {
    return absl::StrCat("open gates E", e.epoch.value);
  }
  std::string operator()(const worker::EndOperation& e) const {
    return absl::StrCat("end operation ", e.operation.value, " ", DescribeStatus(e.status));
  }
  std::string operator()(const worker::ProbeProcess& e) const {
    return absl::StrCat("probe pid ", e.probe.pid);
  }
  std::string operator()(const worker::Finish& e) const {
    return absl::StrCat("finish ", e.exit_code, " ", DescribeStatus(e.status));
  }
};

}  // namespace

std::string Describe(const worker::Event& event) { return std::visit(OfEvent(), event); }

std::string Describe(const worker::Effect& effect) { return std::visit(OfEffect(), effect); }

}  // namespace muster::sim
