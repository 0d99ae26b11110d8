#include "tests/simulation/describe.h"

#include <array>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"

namespace muster::sim {
namespace {

std::string Short(Incarnation incarnation) {
  return absl::StrCat(absl::Hex(incarnation.value & 0xFFFF));
}

// Job uids and store ids are long; two bytes tell them apart for a reader.
std::string Short(JobUid job) { return absl::StrCat(absl::Hex(job.value & 0xFFFF)); }

std::string Text(std::string_view text) { return std::string(text); }

std::string DescribeAttempt(const AttemptView& attempt) {
  static constexpr std::array<std::string_view, 3> kSteps = {"prepare", "build", "rollback"};
  std::string text = absl::StrCat(Text(kSteps.at(static_cast<size_t>(attempt.step))), " E",
                                  attempt.epoch.value, " as r", attempt.rank.value);
  if (!attempt.peers.empty()) absl::StrAppend(&text, " peers=", attempt.peers.size());
  return text;
}

std::string Group(GroupId group) { return absl::StrCat(group.kind, "#", group.index); }

struct OfCoordinatorEvent {
  std::string operator()(const coordinator::ApplyRequested& e) const {
    return absl::StrCat("apply ", e.spec.name, " call=", e.call.value, " request=", e.request_id);
  }
  std::string operator()(const coordinator::DeleteRequested& e) const {
    return absl::StrCat("delete ", e.job, " call=", e.call.value, " request=", e.request_id);
  }
  std::string operator()(const coordinator::HelloReceived& e) const {
    return absl::StrCat("hello c", e.connection.value, " ", e.hello.worker, "/",
                        Short(e.hello.incarnation), " session=", e.hello.session.value, " ",
                        Describe(e.hello.report));
  }
  std::string operator()(const coordinator::ReportReceived& e) const {
    return absl::StrCat("report c", e.connection.value, " ", Describe(e.report));
  }
  std::string operator()(const coordinator::StreamReset& e) const {
    return absl::StrCat("reset c", e.connection.value);
  }
  std::string operator()(const coordinator::StreamCut& e) const {
    return absl::StrCat("cut c", e.connection.value);
  }
  std::string operator()(const coordinator::LeaveReceived& e) const {
    return absl::StrCat("leave ", e.worker, "/", Short(e.incarnation));
  }
  std::string operator()(const coordinator::ExitReported& e) const {
    return absl::StrCat("exit ", e.worker, "/", Short(e.incarnation), " ", e.status);
  }
  std::string operator()(const coordinator::Journaled& e) const {
    static constexpr std::array<std::string_view, 3> kResults = {"written", "full", "unknown"};
    return absl::StrCat("journaled #", e.write.value, " ",
                        Text(kResults.at(static_cast<size_t>(e.result))));
  }
  std::string operator()(const coordinator::Tick&) const { return "tick"; }
};

struct OfCoordinatorEffect {
  std::string operator()(const coordinator::WriteJournal& e) const {
    return absl::StrCat("journal #", e.write.value, " ", Describe(e.record));
  }
  std::string operator()(const coordinator::Publish& e) const {
    return absl::StrCat("publish c", e.connection.value, " ", Describe(e.assignment));
  }
  std::string operator()(const coordinator::CloseStream& e) const {
    return absl::StrCat("close c", e.connection.value, " ", DescribeStatus(e.status));
  }
  std::string operator()(const coordinator::Reply& e) const {
    std::string text = absl::StrCat("reply call=", e.call.value, " ", DescribeStatus(e.status));
    if (e.status.ok()) {
      absl::StrAppend(&text, " job=", Short(e.job), " generation=", e.generation.value);
    }
    return text;
  }
  std::string operator()(const coordinator::Note& e) const {
    std::string text = absl::StrCat("note ", Text(Name(e.kind)), " ", e.job);
    if (e.epoch.value != 0) absl::StrAppend(&text, " E", e.epoch.value);
    if (e.rank.has_value()) absl::StrAppend(&text, " r", e.rank->value);
    if (!e.worker.empty()) absl::StrAppend(&text, " ", e.worker);
    if (!e.text.empty()) absl::StrAppend(&text, ": ", e.text);
    return text;
  }
  std::string operator()(const coordinator::Halt& e) const {
    return absl::StrCat("halt: ", e.reason);
  }
};

struct OfRecord {
  std::string operator()(const coordinator::TermStarted& r) const {
    return absl::StrCat("term ", r.term.value);
  }
  std::string operator()(const coordinator::JobAccepted& r) const {
    return absl::StrCat("accepted ", r.spec.name, " request=", r.request_id);
  }
  std::string operator()(const coordinator::EpochReserved& r) const {
    std::string text = absl::StrCat("reserved E", r.epoch.value);
    for (const coordinator::SeatGrant& seat : r.seats) {
      absl::StrAppend(&text, " r", seat.rank.value, "=", seat.worker);
    }
    return text;
  }
  std::string operator()(const coordinator::EpochCommitted& r) const {
    std::string text = absl::StrCat("committed E", r.epoch.value);
    for (size_t rank = 0; rank < r.members.size(); ++rank) {
      absl::StrAppend(&text, " r", rank, "=", r.members[rank].worker);
    }
    return text;
  }
  std::string operator()(const coordinator::JobDeleted& r) const {
    return absl::StrCat("deleted request=", r.request_id);
  }
};

}  // namespace

std::string Describe(const coordinator::Event& event) {
  return std::visit(OfCoordinatorEvent(), event);
}

std::string Describe(const coordinator::Effect& effect) {
  return std::visit(OfCoordinatorEffect(), effect);
}

std::string Describe(const coordinator::JournalRecord& record) {
  return std::visit(OfRecord(), record);
}

std::string Describe(const Assignment& assignment) {
  std::string text = absl::StrCat("t", assignment.term.value, ".", assignment.revision.value);
  if (assignment.deleted) absl::StrAppend(&text, " deleted");
  if (assignment.committed.value != 0) {
    absl::StrAppend(&text, " committed E", assignment.committed.value, " as r",
                    assignment.committed_rank.value);
  }
  for (const LostMember& lost : assignment.lost) absl::StrAppend(&text, " lost ", Describe(lost));
  if (assignment.attempt.has_value()) {
    absl::StrAppend(&text, " ", DescribeAttempt(*assignment.attempt));
  }
  for (const ProcessProbe& probe : assignment.probes)
    absl::StrAppend(&text, " probe pid ", probe.pid);
  if (assignment.ping != 0) absl::StrAppend(&text, " ping ", assignment.ping);
  if (!assignment.waiting_for.empty()) {
    absl::StrAppend(&text, " waiting_for=\"", assignment.waiting_for, "\"");
  }
  return text;
}

std::string Describe(const Report& report) {
  std::string text =
      absl::StrCat("#", report.number, " at t", report.term.value, ".", report.revision.value);
  for (const Holding& holding : report.holdings) {
    absl::StrAppend(&text, " E", holding.epoch.value, ":", Text(Name(holding.state)));
    if (holding.failure.has_value()) {
      absl::StrAppend(&text, "(", holding.failure->group, " ", holding.failure->reason, ")");
    }
  }
  if (!report.reset_peers.empty()) {
    absl::StrAppend(&text, " reset_peers=", FormatIdRanges(report.reset_peers));
  }
  for (const Leak& leak : report.leaks) absl::StrAppend(&text, " leak E", leak.epoch.value);
  if (!report.proved_dead.empty())
    absl::StrAppend(&text, " proved_dead=", report.proved_dead.size());
  if (report.pong != 0) absl::StrAppend(&text, " pong ", report.pong);
  if (!report.doing.empty()) absl::StrAppend(&text, " doing=\"", report.doing, "\"");
  return text;
}

std::string Describe(const LostMember& lost) {
  return absl::StrCat("r", lost.rank.value, "(", lost.worker, " ", Text(Name(lost.cause)),
                      lost.doing.empty() ? "" : " in ", lost.doing, ")");
}

std::string Describe(const GroupKey& key) {
  return absl::StrCat("group ", Group(key.group), " of epoch ", key.epoch.value, " of job ",
                      Short(key.job));
}

std::string DescribeStatus(const absl::Status& status) {
  if (status.ok()) return "OK";
  std::string text = absl::StatusCodeToString(status.code());
  if (const auto detail = DetailOf(status); detail.has_value()) {
    absl::StrAppend(&text, " ", Text(KindName(detail->kind)));
  }
  return absl::StrCat(text, ": ", status.message());
}

std::string_view Name(HoldingState state) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "preparing", "prepared", "building", "built", "failed", "active", "ended", "freeing"};
  return kNames.at(static_cast<size_t>(state));
}

std::string_view Name(LossCause cause) {
  static constexpr std::array<std::string_view, 6> kNames = {"exit",  "superseded", "left",
                                                             "reset", "silence",    "earlier"};
  return kNames.at(static_cast<size_t>(cause));
}

std::string_view Name(coordinator::NoteKind kind) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "job_accepted",      "job_deleted",    "job_gone",         "worker_joined",
      "worker_back",       "worker_refused", "worker_suspected", "worker_lost",
      "epoch_reserved",    "epoch_building", "epoch_committed",  "epoch_active",
      "epoch_rolled_back", "epoch_ended",    "job_held",         "read_only",
      "own_fault"};
  return kNames.at(static_cast<size_t>(kind));
}

}  // namespace muster::sim
