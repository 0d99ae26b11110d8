#include "cli/tables.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/output.h"
#include "common/base/rank_ranges.h"

namespace muster::cli {
namespace {

std::string Age(const google::protobuf::Duration& duration) { return FormatAge(ToAbsl(duration)); }

std::string StateOf(const v1::WorkerStatus& worker) {
  if (Holds(worker, v1::CONDITION_TYPE_LOST)) return "Lost";
  if (Holds(worker, v1::CONDITION_TYPE_READY)) return "Ready";
  return Holds(worker, v1::CONDITION_TYPE_CONNECTED) ? "Joining" : "Disconnected";
}

std::string ConditionText(const v1::Condition& ready) {
  if (ready.value() == v1::CONDITION_VALUE_TRUE) return "Ready";
  return ready.message().empty() ? ready.reason()
                                 : absl::StrCat(ready.reason(), ": ", ready.message());
}

std::string Ranks(const v1::GroupStatus& group) { return absl::StrJoin(group.ranks(), ","); }

// "EVENT_KIND_WORKER_LOST" as "worker_lost".
std::string KindText(v1::EventKind kind) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::EventKind_Name(kind), "EVENT_KIND_"));
}

}  // namespace

TextTable JobTable(const v1::ListJobsReply& reply, bool wide) {
  std::vector<TableColumn> columns = {{"job"},
                                      {"world", Align::kRight},
                                      {"epoch", Align::kRight},
                                      {"spares", Align::kRight},
                                      {"age"},
                                      {"condition"}};
  if (wide) columns.insert(columns.end() - 1, {{"recovery"}, {"lease"}, {"build"}});
  TextTable table(columns);
  for (const v1::Job& job : reply.items()) {
    const v1::JobStatus& status = job.status();
    std::vector<std::string> row = {job.spec().name(), absl::StrCat(job.spec().world_size()),
                                    absl::StrCat(status.epoch()), absl::StrCat(status.spares()),
                                    Age(status.age())};
    if (wide) {
      const v1::Deadlines& deadlines = status.deadlines();
      for (const auto* one : {&deadlines.recovery(), &deadlines.lease(), &deadlines.build()}) {
        row.push_back(absl::FormatDuration(ToAbsl(*one)));
      }
    }
    row.push_back(ConditionText(FindCondition(status, v1::CONDITION_TYPE_READY)));
    table.AddRow(std::move(row));
  }
  return table;
}

TextTable WorkerTable(const v1::ListWorkersReply& reply, bool wide) {
  std::vector<TableColumn> columns = {{"rank", Align::kRight},
                                      {"worker"},
                                      {"state"},
                                      {"host"},
                                      {"gpu"},
                                      {"local", Align::kRight},
                                      {"groups"},
                                      {"epoch", Align::kRight},
                                      {"seen"},
                                      {"age"}};
  if (wide) columns.insert(columns.end(), {{"pid", Align::kRight}, {"doing"}});
  TextTable table(columns);
  for (const v1::WorkerStatus& worker : reply.items()) {
    std::vector<std::string> row = {
        worker.has_rank() ? absl::StrCat(worker.rank()) : "",
        worker.worker(),
        StateOf(worker),
        worker.host().hostname(),
        worker.device().uuid(),
        worker.has_local_rank() ? absl::StrCat(worker.local_rank()) : "",
        absl::StrJoin(worker.groups(), ","),
        absl::StrCat(worker.epoch()),
        Age(worker.silent_for()),
        Age(worker.age())};
    if (wide) row.insert(row.end(), {absl::StrCat(worker.host().pid()), worker.doing()});
    table.AddRow(std::move(row));
  }
  return table;
}

TextTable GroupTable(const v1::ListGroupsReply& reply, bool wide) {
  std::vector<TableColumn> columns = {
      {"group"},    {"size", Align::kRight}, {"epoch", Align::kRight}, {"ready"}, {"age"},
      {"condition"}};
  if (wide) columns.insert(columns.end() - 1, {"ranks"});
  TextTable table(columns);
  for (const v1::GroupStatus& group : reply.items()) {
    std::vector<std::string> row = {group.name(), absl::StrCat(group.ranks_size()),
                                    absl::StrCat(group.epoch()),
                                    absl::StrCat(group.ready(), "/", group.ranks_size()),
                                    group.has_age() ? Age(group.age()) : ""};
    if (wide) row.push_back(Ranks(group));
    row.push_back(ConditionText(FindCondition(group, v1::CONDITION_TYPE_READY)));
    table.AddRow(std::move(row));
  }
  return table;
}

TextTable EventTable(const v1::ListEventsReply& reply, bool) {
  TextTable table({{"age"},
                   {"event"},
                   {"epoch", Align::kRight},
                   {"rank", Align::kRight},
                   {"worker"},
                   {"message"}});
  for (const v1::Event& event : reply.items()) {
    table.AddRow({Age(event.age()), KindText(event.kind()),
                  event.epoch() == 0 ? "" : absl::StrCat(event.epoch()),
                  event.has_rank() ? absl::StrCat(event.rank()) : "", event.worker(),
                  event.message()});
  }
  return table;
}

TextTable AbsenteeTable(const v1::WhyReply& reply) {
  TextTable table(
      {{"rank", Align::kRight}, {"worker"}, {"host"}, {"last-seen"}, {"last-state"}, {"hint"}});
  for (const v1::Absentee& absentee : reply.missing()) {
    table.AddRow({absentee.has_rank() ? absl::StrCat(absentee.rank()) : "", absentee.worker(),
                  absentee.hostname(), absentee.has_silent_for() ? Age(absentee.silent_for()) : "",
                  absentee.doing(), absentee.hint()});
  }
  return table;
}

}  // namespace muster::cli
