// apply and delete: what changes a job.

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/spec_source.h"
#include "common/wire/job_spec.h"

namespace muster::cli {
namespace {

bool Confirmed(const std::string& job) {
  std::fprintf(stderr, "Delete job '%s' and end its epoch on every worker? [y/N] ", job.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace

int Apply(const Args& args) {
  Config config("muster apply", "Creates a job from a file or a mesh.");
  SpecFlags spec_flags;
  ConnectionFlags connection;
  int64_t if_epoch = -1;
  std::string dry_run = "none";
  AddSpecFlags(config, spec_flags);
  AddConnectionFlags(config, connection);
  config.AddInt({.name = "if-epoch",
                 .help = "Only if this is the job's epoch; 0: none yet.",
                 .placeholder = "N"},
                &if_epoch, {.least = -1});
  config.AddChoice({.name = "dry-run", .help = "client: only check the spec."}, &dry_run,
                   {"none", "client"});
  if (absl::Status status = config.Parse(args); !status.ok()) return FailUsage(status);
  if (config.help_wanted()) return std::fputs(config.HelpText().c_str(), stdout), kOk;

  absl::StatusOr<v1::JobSpec> spec = LoadSpec(spec_flags);
  if (!spec.ok()) return Fail(spec.status());
  if (dry_run == "client") {
    const absl::StatusOr<JobSpec> core = FromProto(*spec);
    if (!core.ok()) return Fail(core.status());
    const absl::StatusOr<Layout> layout = ValidateJobSpec(*core);
    if (!layout.ok()) return Fail(layout.status());
    std::printf("job/%s is valid\n", spec->name().c_str());
    return kOk;
  }
  const absl::StatusOr<Admin> admin = Admin::Connect(connection);
  if (!admin.ok()) return Fail(admin.status());
  v1::ApplyRequest request;
  request.set_request_id(DrawRequestId());
  *request.mutable_spec() = *spec;
  if (if_epoch >= 0) request.set_if_epoch(if_epoch);
  v1::ApplyReply reply;
  const absl::Status status = admin->Call([&](v1::AdminService::Stub& stub, auto* context) {
    return stub.Apply(context, request, &reply);
  });
  if (!status.ok()) return Fail(status);
  std::printf("job/%s applied\n", spec->name().c_str());
  return kOk;
}

int Delete(const Args& args) {
  Config config("muster delete", "Ends a job for good.");
  ConnectionFlags connection;
  bool yes = false;
  int64_t if_epoch = -1;
  config.AllowArguments("job/NAME", 1, 1);
  AddConnectionFlags(config, connection);
  config.AddBool({.name = "yes", .help = "Do not ask.", .letter = 'y'}, &yes);
  config.AddInt(
      {.name = "if-epoch", .help = "Only if this is the job's epoch.", .placeholder = "N"},
      &if_epoch, {.least = -1});
  if (absl::Status status = config.Parse(args); !status.ok()) return FailUsage(status);
  if (config.help_wanted()) return std::fputs(config.HelpText().c_str(), stdout), kOk;

  const std::string job(absl::StripPrefix(config.arguments()[0], "job/"));
  if (!yes && isatty(STDIN_FILENO) == 0) {
    return FailUsage(absl::InvalidArgumentError("this is no terminal to ask on: give --yes"));
  }
  if (!yes && !Confirmed(job)) return kFailed;
  const absl::StatusOr<Admin> admin = Admin::Connect(connection);
  if (!admin.ok()) return Fail(admin.status());
  v1::DeleteRequest request;
  request.set_request_id(DrawRequestId());
  request.set_job(job);
  if (if_epoch >= 0) request.set_if_epoch(if_epoch);
  v1::DeleteReply reply;
  const absl::Status status = admin->Call([&](v1::AdminService::Stub& stub, auto* context) {
    return stub.Delete(context, request, &reply);
  });
  if (!status.ok()) return Fail(status);
  std::printf("job/%s deleted\n", job.c_str());
  return kOk;
}

}  // namespace muster::cli
