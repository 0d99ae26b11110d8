// get, describe and why: what looks at jobs.

#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/tables.h"

namespace muster::cli {
namespace {

// One parsed command line that looks at something.
struct Look {
  Config config;
  ConnectionFlags connection;
  OutputFlags output;
  std::string job;

  Look(const char* program, const char* summary) : config(program, summary) {
    AddConnectionFlags(config, connection);
    AddOutputFlags(config, output);
    config.AddString({.name = "job",
                      .help = "Name of the job; by default the only one.",
                      .placeholder = "JOB",
                      .letter = 'j'},
                     &job);
  }

  // Gives an exit code if the command ends here.
  std::optional<int> Parse(const Args& args) {
    if (absl::Status status = config.Parse(args); !status.ok()) return FailUsage(status);
    if (!config.help_wanted()) return std::nullopt;
    std::fputs(config.HelpText().c_str(), stdout);
    return kOk;
  }
};

// The job that is meant if none is named: the only one.
absl::StatusOr<std::string> JobOrOnly(const Admin& admin, const std::string& named) {
  if (!named.empty()) return std::string(absl::StripPrefix(named, "job/"));
  v1::ListJobsReply reply;
  const absl::Status status = admin.Call([&](v1::AdminService::Stub& stub, auto* context) {
    return stub.ListJobs(context, v1::ListJobsRequest(), &reply);
  });
  if (!status.ok()) return status;
  if (reply.items_size() == 1) return reply.items(0).spec().name();
  if (reply.items().empty()) return absl::NotFoundError("there are no jobs");
  return absl::InvalidArgumentError("there are several jobs: name one with --job");
}

// Reads all pages of a list. `call` makes one call of the service.
template <typename Request, typename Reply>
absl::StatusOr<Reply> ListAll(
    const Admin& admin, Request request,
    const std::function<grpc::Status(v1::AdminService::Stub&, grpc::ClientContext*, const Request&,
                                     Reply*)>& call) {
  Reply all;
  do {
    Reply page;
    const absl::Status status =
        admin.Call([&](v1::AdminService::Stub& stub, grpc::ClientContext* context) {
          return call(stub, context, request, &page);
        });
    if (!status.ok()) return status;
    request.mutable_page()->set_token(page.next_page_token());
    all.MergeFrom(page);
  } while (!request.page().token().empty());
  all.clear_next_page_token();
  return all;
}

// Prints a list as the flags say; `table` is for people, `name` the name of one item.
template <typename Reply, typename Table, typename Name>
int PrintList(const absl::StatusOr<Reply>& reply, const OutputFlags& output, const Table& table,
              const Name& name) {
  if (!reply.ok()) return Fail(reply.status(), output.format);
  if (output.for_machines()) {
    PrintMessage(*reply, output.format);
  } else if (output.format == "name") {
    for (const auto& item : reply->items()) std::printf("%s\n", name(item).c_str());
  } else {
    const bool wide = output.format == "wide";
    std::fputs(table(*reply, wide).Render(output.headers()).c_str(), stdout);
  }
  return kOk;
}

int GetJobs(const Admin& admin, const Look& look) {
  return PrintList(ListAll<v1::ListJobsRequest, v1::ListJobsReply>(
                       admin, {},
                       [](auto& stub, auto* context, const auto& request, auto* reply) {
                         return stub.ListJobs(context, request, reply);
                       }),
                   look.output, JobTable,
                   [](const v1::Job& job) { return absl::StrCat("job/", job.spec().name()); });
}

int GetWorkers(const Admin& admin, const Look& look, const std::string& job) {
  v1::ListWorkersRequest request;
  request.set_job(job);
  return PrintList(ListAll<v1::ListWorkersRequest, v1::ListWorkersReply>(
                       admin, request,
                       [](auto& stub, auto* context, const auto& page, auto* reply) {
                         return stub.ListWorkers(context, page, reply);
                       }),
                   look.output, WorkerTable, [](const v1::WorkerStatus& worker) {
                     return absl::StrCat("worker/", worker.worker());
                   });
}

int GetGroups(const Admin& admin, const Look& look, const std::string& job) {
  v1::ListGroupsRequest request;
  request.set_job(job);
  return PrintList(ListAll<v1::ListGroupsRequest, v1::ListGroupsReply>(
                       admin, request,
                       [](auto& stub, auto* context, const auto& page, auto* reply) {
                         return stub.ListGroups(context, page, reply);
                       }),
                   look.output, GroupTable, [](const v1::GroupStatus& group) {
                     return absl::StrCat("group/", group.name());
                   });
}

int GetEvents(const Admin& admin, const Look& look, const std::string& job) {
  v1::ListEventsRequest request;
  request.set_job(job);
  return PrintList(ListAll<v1::ListEventsRequest, v1::ListEventsReply>(
                       admin, request,
                       [](auto& stub, auto* context, const auto& page, auto* reply) {
                         return stub.ListEvents(context, page, reply);
                       }),
                   look.output, EventTable,
                   [](const v1::Event& event) { return absl::StrCat("event/", event.number()); });
}

void PrintWhy(const v1::WhyReply& why, const std::string& subject, Headers headers) {
  if (why.ready().value() == v1::CONDITION_VALUE_TRUE) {
    std::printf("%s is ready at epoch %lld\n", subject.c_str(),
                static_cast<long long>(why.epoch()));
    return;
  }
  std::printf("%s is not ready: %s\n", subject.c_str(), why.ready().reason().c_str());
  for (const std::string& sentence : why.sentences()) std::printf("%s\n", sentence.c_str());
  if (why.missing().empty()) return;
  std::printf("MISSING\n%s", AbsenteeTable(why).Render(headers).c_str());
  if (why.more_missing() > 0) std::printf("and %d more\n", why.more_missing());
}

}  // namespace

int Get(const Args& args) {
  Look look("muster get", "Lists jobs, or the workers, groups or events of a job.");
  look.config.AllowArguments("jobs|workers|groups|events", 1, 1);
  if (const std::optional<int> code = look.Parse(args); code.has_value()) return *code;
  const absl::StatusOr<Admin> admin = Admin::Connect(look.connection);
  if (!admin.ok()) return Fail(admin.status(), look.output.format);

  const std::string& what = look.config.arguments()[0];
  if (what == "jobs" || what == "job") return GetJobs(*admin, look);
  const bool known = what == "workers" || what == "groups" || what == "events";
  if (!known) {
    return FailUsage(absl::InvalidArgumentError(
        absl::StrCat("cannot get '", what, "', want jobs, workers, groups or events")));
  }
  const absl::StatusOr<std::string> job = JobOrOnly(*admin, look.job);
  if (!job.ok()) return Fail(job.status(), look.output.format);
  if (what == "workers") return GetWorkers(*admin, look, *job);
  if (what == "groups") return GetGroups(*admin, look, *job);
  return GetEvents(*admin, look, *job);
}

int Describe(const Args& args) {
  Look look("muster describe", "Shows one job with its seats, deadlines and conditions.");
  look.config.AllowArguments("job/NAME", 0, 1);
  if (const std::optional<int> code = look.Parse(args); code.has_value()) return *code;
  const absl::StatusOr<Admin> admin = Admin::Connect(look.connection);
  if (!admin.ok()) return Fail(admin.status(), look.output.format);
  const std::string named = look.config.arguments().empty() ? look.job : look.config.arguments()[0];
  const absl::StatusOr<std::string> job = JobOrOnly(*admin, named);
  if (!job.ok()) return Fail(job.status(), look.output.format);

  v1::GetJobRequest request;
  request.set_job(*job);
  v1::GetJobReply reply;
  const absl::Status status = admin->Call([&](v1::AdminService::Stub& stub, auto* context) {
    return stub.GetJob(context, request, &reply);
  });
  if (!status.ok()) return Fail(status, look.output.format);
  PrintMessage(reply.job(), look.output.format == "json" ? "json" : "yaml");
  return kOk;
}

int Why(const Args& args) {
  Look look("muster why",
            "Says why a job, worker or group is not ready; exit code 7 if it is not.");
  look.config.AllowArguments("[job/NAME|worker/NAME|group/NAME]", 0, 1);
  if (const std::optional<int> code = look.Parse(args); code.has_value()) return *code;
  const absl::StatusOr<Admin> admin = Admin::Connect(look.connection);
  if (!admin.ok()) return Fail(admin.status(), look.output.format);

  const std::string subject = look.config.arguments().empty() ? "" : look.config.arguments()[0];
  v1::WhyRequest request;
  std::string named = look.job;
  absl::string_view name = subject;
  if (absl::ConsumePrefix(&name, "worker/")) {
    request.set_worker(std::string(name));
  } else if (absl::ConsumePrefix(&name, "group/")) {
    request.set_group(std::string(name));
    if (named.empty() && name.find('/') != name.npos) {
      named = std::string(name.substr(0, name.find('/')));
    }
  } else if (!subject.empty()) {
    named = subject;
  }
  const absl::StatusOr<std::string> job = JobOrOnly(*admin, named);
  if (!job.ok()) return Fail(job.status(), look.output.format);
  request.set_job(*job);

  v1::WhyReply reply;
  const absl::Status status = admin->Call([&](v1::AdminService::Stub& stub, auto* context) {
    return stub.Why(context, request, &reply);
  });
  if (!status.ok()) return Fail(status, look.output.format);
  if (look.output.for_machines()) {
    PrintMessage(reply, look.output.format);
  } else {
    PrintWhy(reply, subject.empty() ? absl::StrCat("job/", *job) : subject, look.output.headers());
  }
  return reply.ready().value() == v1::CONDITION_VALUE_TRUE ? kOk : kNotReady;
}

}  // namespace muster::cli
