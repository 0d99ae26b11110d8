#ifndef MUSTER_TESTS_COORDINATOR_RUNTIME_TRACE_H_
#define MUSTER_TESTS_COORDINATOR_RUNTIME_TRACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/base/monitor.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/journal/journal.h"
#include "coordinator/runtime/outbox.h"

namespace muster::coordinator {

// What happened, one line for each thing, in the order in which it happened. Shared by the fakes of
// one test. Thread safety: any thread.
class Trace {
 public:
  void Add(std::string line) {
    MonitorLock lock(&monitor_);
    lines_.push_back(std::move(line));
  }

  std::vector<std::string> lines() const {
    MonitorLock lock(&monitor_);
    return lines_;
  }

  // The same, and forgets them.
  std::vector<std::string> Take() {
    MonitorLock lock(&monitor_);
    return std::exchange(lines_, {});
  }

 private:
  mutable Monitor monitor_;
  std::vector<std::string> lines_ ABSL_GUARDED_BY(monitor_);
};

// An event as a line of a trace.
struct EventLine {
  std::string operator()(const ApplyRequested& e) const {
    return absl::StrCat("apply ", Of(e.call));
  }
  std::string operator()(const DeleteRequested& e) const {
    return absl::StrCat("delete ", Of(e.call));
  }
  std::string operator()(const HelloReceived& e) const {
    return absl::StrCat("hello ", Of(e.connection));
  }
  std::string operator()(const ReportReceived& e) const {
    return absl::StrCat("report ", Of(e.connection), " number ", e.report.number);
  }
  std::string operator()(const StreamReset& e) const {
    return absl::StrCat("reset ", Of(e.connection));
  }
  std::string operator()(const StreamCut& e) const {
    return absl::StrCat("cut ", Of(e.connection));
  }
  std::string operator()(const LeaveReceived& e) const { return absl::StrCat("leave ", e.worker); }
  std::string operator()(const ExitReported& e) const {
    return absl::StrCat("exit ", e.job, "/", e.worker, " ", e.status);
  }
  std::string operator()(const Journaled& e) const {
    constexpr std::array kResults = {"written", "full", "unknown"};
    return absl::StrCat("journaled ", Of(e.write), " ", kResults.at(static_cast<size_t>(e.result)));
  }
  std::string operator()(const Tick&) const { return "tick"; }

  template <typename Id>
  static std::string Of(Id id) {
    return absl::StrCat(id.value);
  }
};

inline std::string ToLine(const Event& event) { return std::visit(EventLine(), event); }

inline ReportReceived ReportOn(uint64_t connection, uint64_t number) {
  Report report;
  report.number = number;
  return {ConnectionId(connection), std::move(report)};
}

inline Publish PublishTo(uint64_t connection, int64_t revision) {
  Assignment assignment;
  assignment.revision = Revision(revision);
  return {ConnectionId(connection), std::move(assignment)};
}

// Records what leaves the coordinator.
class FakeOutbox final : public Outbox {
 public:
  explicit FakeOutbox(Trace* trace) : trace_(trace) {}

  void Publish(ConnectionId connection, Assignment assignment) override {
    trace_->Add(
        absl::StrCat("publish ", connection.value, " revision ", assignment.revision.value));
  }
  void Close(ConnectionId connection, absl::Status status) override {
    trace_->Add(absl::StrCat("close ", connection.value, " ", status.ToString()));
  }
  void Reply(CallId call, absl::Status status, JobUid job, Generation generation) override {
    trace_->Add(absl::StrCat("reply ", call.value, " ", status.ToString(), " job ", job.value,
                             " generation ", generation.value));
  }

 private:
  Trace* const trace_;
};

// A journal that answers a write when the test says so.
class HeldJournal final : public Journal {
 public:
  explicit HeldJournal(Trace* trace) : trace_(trace) {}

  absl::StatusOr<JournalContents> Read() override { return JournalContents{StoreId(1), {}}; }

  void Append(JournalRecord record, std::function<void(JournalResult)> done) override {
    trace_->Add(absl::StrCat("append term ", std::get<TermStarted>(record).term.value));
    MonitorLock lock(&monitor_);
    unanswered_.push_back(std::move(done));
  }

  // Answers the oldest write that is not answered; on the caller's thread.
  void AnswerNext(JournalResult result) {
    std::function<void(JournalResult)> done;
    {
      MonitorLock lock(&monitor_);
      done = std::move(unanswered_.at(0));
      unanswered_.erase(unanswered_.begin());
    }
    done(result);
  }

 private:
  Trace* const trace_;
  Monitor monitor_;
  std::vector<std::function<void(JournalResult)>> unanswered_ ABSL_GUARDED_BY(monitor_);
};

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_RUNTIME_TRACE_H_
