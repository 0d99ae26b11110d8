#include <string_view>
#include <variant>

#include "tests/simulation/describe.h"

namespace muster::sim {
namespace {

// Folds values into one number, in the order in which they come.
class Folder {
 public:
  Folder& operator<<(uint64_t value) {
    hash_ = (hash_ ^ value) * 0x100000001B3u;
    return *this;
  }
  Folder& operator<<(int64_t value) { return *this << static_cast<uint64_t>(value); }
  Folder& operator<<(int32_t value) { return *this << static_cast<uint64_t>(value); }
  template <typename Tag, typename Rep>
  Folder& operator<<(const TaggedId<Tag, Rep>& id) {
    return *this << id.value;
  }
  Folder& operator<<(std::string_view text) {
    for (const char c : text) *this << static_cast<uint64_t>(static_cast<unsigned char>(c));
    return *this << static_cast<uint64_t>(text.size());
  }
  Folder& operator<<(GroupId group) { return *this << group.kind << group.index; }
  Folder& operator<<(const absl::Status& status) {
    return *this << static_cast<int32_t>(status.code())
                 << static_cast<uint64_t>(status.message().size());
  }
  Folder& operator<<(const Report& report) {
    *this << report.number << report.term << report.revision << report.pong;
    for (const Holding& holding : report.holdings) {
      *this << holding.epoch << static_cast<int32_t>(holding.state);
    }
    for (const GlobalRank rank : report.reset_peers) *this << rank;
    return *this << static_cast<uint64_t>(report.leaks.size());
  }
  Folder& operator<<(const Assignment& assignment) {
    *this << assignment.store << assignment.term << assignment.revision << assignment.to
          << assignment.job << assignment.committed << assignment.ping;
    for (const LostMember& lost : assignment.lost) *this << lost.rank << lost.incarnation;
    if (assignment.attempt.has_value()) {
      *this << assignment.attempt->epoch << static_cast<int32_t>(assignment.attempt->step)
            << assignment.attempt->rank;
    }
    return *this << assignment.waiting_for;
  }
  Folder& operator<<(const coordinator::JournalRecord& record) {
    *this << static_cast<uint64_t>(record.index());
    if (const auto* reserved = std::get_if<coordinator::EpochReserved>(&record)) {
      *this << reserved->epoch;
      for (const auto& seat : reserved->seats) *this << seat.rank << std::string_view(seat.worker);
    } else if (const auto* committed = std::get_if<coordinator::EpochCommitted>(&record)) {
      *this << committed->epoch;
      for (const auto& member : committed->members) *this << member.incarnation;
    }
    return *this;
  }

  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_ = 0xCBF29CE484222325u;
};

struct OfCoordinator {
  Folder& fold;
  void operator()(const coordinator::ApplyRequested& e) const { fold << e.call; }
  void operator()(const coordinator::DeleteRequested& e) const { fold << e.call; }
  void operator()(const coordinator::HelloReceived& e) const {
    fold << e.connection << e.hello.incarnation << e.hello.session << e.hello.report;
  }
  void operator()(const coordinator::ReportReceived& e) const { fold << e.connection << e.report; }
  void operator()(const coordinator::StreamReset& e) const { fold << e.connection; }
  void operator()(const coordinator::StreamCut& e) const { fold << e.connection; }
  void operator()(const coordinator::LeaveReceived& e) const { fold << e.incarnation; }
  void operator()(const coordinator::ExitReported& e) const { fold << e.incarnation; }
  void operator()(const coordinator::Journaled& e) const {
    fold << e.write << static_cast<int32_t>(e.result);
  }
  void operator()(const coordinator::Tick&) const {}
  void operator()(const coordinator::WriteJournal& e) const { fold << e.write << e.record; }
  void operator()(const coordinator::Publish& e) const { fold << e.connection << e.assignment; }
  void operator()(const coordinator::CloseStream& e) const { fold << e.connection << e.status; }
  void operator()(const coordinator::Reply& e) const { fold << e.call << e.status << e.job; }
  void operator()(const coordinator::Note& e) const {
    fold << static_cast<int32_t>(e.kind) << e.epoch << std::string_view(e.text);
  }
  void operator()(const coordinator::Halt& e) const { fold << std::string_view(e.reason); }
};

struct OfWorker {
  Folder& fold;
  void operator()(const worker::StreamOpened& e) const { fold << e.session; }
  void operator()(const worker::StreamClosed& e) const { fold << e.session << e.status; }
  void operator()(const worker::AssignmentReceived& e) const { fold << e.session << e.assignment; }
  void operator()(const worker::EndpointsOpened& e) const { fold << e.epoch; }
  void operator()(const worker::GroupBuilt& e) const { fold << e.epoch << e.group; }
  void operator()(const worker::BuildFailed& e) const {
    fold << e.epoch << std::string_view(e.failure.reason);
  }
  void operator()(const worker::GroupFreed& e) const { fold << e.epoch << e.group; }
  void operator()(const worker::EndpointsClosed& e) const { fold << e.epoch; }
  void operator()(const worker::PeerReset& e) const { fold << e.epoch << e.peer; }
  void operator()(const worker::OperationFailed& e) const { fold << e.operation << e.epoch; }
  void operator()(const worker::TracesChanged& e) { fold << e.traces.size(); }
  void operator()(const worker::DoingChanged& e) const { fold << std::string_view(e.doing); }
  void operator()(const worker::ProcessGone& e) const { fold << e.incarnation; }
  void operator()(const worker::LeaveRequested&) const {}
  void operator()(const worker::Tick&) const {}
  void operator()(const worker::OpenStream& e) const { fold << e.hello.session << e.hello.report; }
  void operator()(const worker::CloseStream& e) const { fold << e.session; }
  void operator()(const worker::SendReport& e) const { fold << e.session << e.report; }
  void operator()(const worker::OpenEndpoints& e) const { fold << e.epoch << e.rank; }
  void operator()(const worker::BuildGroup& e) const { fold << e.epoch << e.group.id; }
  void operator()(const worker::AbortEpoch& e) const { fold << e.epoch << e.status; }
  void operator()(const worker::FreeGroup& e) const { fold << e.epoch << e.group; }
  void operator()(const worker::CloseEndpoints& e) const { fold << e.epoch; }
  void operator()(const worker::ActivateEpoch& e) const { fold << e.epoch << e.rank; }
  void operator()(const worker::EndEpoch& e) const { fold << e.epoch << e.status; }
  void operator()(const worker::CloseGates& e) const { fold << e.epoch; }
  void operator()(const worker::OpenGates& e) const { fold << e.epoch; }
  void operator()(const worker::EndOperation& e) const { fold << e.operation << e.status; }
  void operator()(const worker::ProbeProcess& e) const { fold << e.probe.incarnation; }
  void operator()(const worker::Finish& e) const { fold << e.exit_code << e.status; }
};

template <typename Visitor, typename Variant>
uint64_t Fold(const Variant& value) {
  Folder folder;
  std::visit(Visitor{folder}, value);
  return folder.hash();
}

}  // namespace

uint64_t Digest(const coordinator::Event& event) { return Fold<OfCoordinator>(event); }
uint64_t Digest(const coordinator::Effect& effect) { return Fold<OfCoordinator>(effect); }
uint64_t Digest(const worker::Event& event) { return Fold<OfWorker>(event); }
uint64_t Digest(const worker::Effect& effect) { return Fold<OfWorker>(effect); }

}  // namespace muster::sim
