// run: a job on this machine, from the coordinator to the last process.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/run_tls.h"
#include "cli/spec_source.h"
#include "common/base/status_macros.h"
#include "common/support/child_process.h"
#include "common/wire/job_spec.h"

namespace muster::cli {
namespace {

struct RunFlags {
  SpecFlags spec;
  int64_t nproc = 0;
  std::string coordinator;
  std::string host_id;
  std::string tls = "off";
  TlsFiles files;  // To join a coordinator that runs already.
};

// A child that is ended with this value.
class OwnedChild {
 public:
  explicit OwnedChild(Child child) : child_(child) {}
  ~OwnedChild() { End(SIGKILL); }
  OwnedChild(const OwnedChild&) = delete;
  OwnedChild& operator=(const OwnedChild&) = delete;

  pid_t pid() const { return child_.pid; }
  int stdout_fd() const { return child_.stdout_fd; }
  void SetGone() { gone_ = true; }

  void End(int number) {
    if (!gone_) {
      kill(child_.pid, number);
      WaitForChild(child_.pid);
      gone_ = true;
    }
    if (child_.stdout_fd >= 0) close(std::exchange(child_.stdout_fd, -1));
  }

 private:
  Child child_;
  bool gone_ = false;
};

// What the coordinator says when it serves: where workers and admins dial.
struct Addresses {
  std::string workers;
  std::string admins;
};

std::string WordAfter(const std::string& line, const std::string& key) {
  const size_t at = line.find(key);
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size();
  return line.substr(begin, line.find(' ', begin) - begin);
}

absl::StatusOr<Addresses> ReadAddresses(int fd) {
  std::string line;
  char c = 0;
  while (line.size() < 4096 && read(fd, &c, 1) == 1 && c != '\n') line.push_back(c);
  Addresses addresses{WordAfter(line, "workers="), WordAfter(line, "admins=")};
  if (!addresses.workers.empty() && !addresses.admins.empty()) return addresses;
  return absl::UnavailableError("the coordinator ended before it served; its own words are above");
}

void AddTlsFlags(const TlsFiles& tls, std::vector<std::string>& command) {
  if (tls.empty()) return;
  command.insert(command.end(), {"--tls-cert", tls.cert, "--tls-key", tls.key, "--tls-ca", tls.ca});
}

absl::StatusOr<std::unique_ptr<OwnedChild>> StartCoordinator(const TlsFiles& tls) {
  ChildSpec spec;
  spec.command = {ProgramPath("muster-coordinator"),
                  "--worker-address",
                  "127.0.0.1:0",
                  "--admin-address",
                  "127.0.0.1:0",
                  "--log-level",
                  "error"};
  if (tls.empty()) spec.command.push_back("--insecure");
  AddTlsFlags(tls, spec.command);
  spec.capture_stdout = true;
  MUSTER_ASSIGN_OR_RETURN(Child child, StartChild(spec));
  return std::make_unique<OwnedChild>(child);
}

std::string Hostname() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

absl::StatusOr<std::unique_ptr<OwnedChild>> StartSupervisor(const RunFlags& flags,
                                                            const std::string& job,
                                                            const std::string& workers,
                                                            const RunTls& tls,
                                                            const Args& command) {
  ChildSpec spec;
  spec.command = {ProgramPath("muster-worker"),
                  "exec",
                  "--coordinator",
                  workers,
                  "--job",
                  job,
                  "--nproc",
                  absl::StrCat(flags.nproc),
                  "--worker-prefix",
                  Hostname(),
                  "--log-level",
                  "error"};
  AddTlsFlags(tls.supervisor, spec.command);
  if (!tls.worker_cert.empty()) {
    spec.command.insert(spec.command.end(),
                        {"--child-tls-cert", tls.worker_cert, "--child-tls-key", tls.worker_key});
  }
  if (!flags.host_id.empty()) {
    spec.command.insert(spec.command.end(), {"--host-id", flags.host_id});
  }
  spec.command.push_back("--");
  spec.command.insert(spec.command.end(), command.begin(), command.end());
  MUSTER_ASSIGN_OR_RETURN(Child child, StartChild(spec));
  return std::make_unique<OwnedChild>(child);
}

absl::Status ApplyJob(const std::string& endpoint, const TlsFiles& tls, const v1::JobSpec& spec) {
  ConnectionFlags flags;
  flags.endpoint = endpoint;
  flags.tls = tls;
  MUSTER_ASSIGN_OR_RETURN(Admin admin, Admin::Connect(flags));
  v1::ApplyRequest request;
  request.set_request_id(DrawRequestId());
  *request.mutable_spec() = spec;
  v1::ApplyReply reply;
  return admin.Call([&](v1::AdminService::Stub& stub, auto* context) {
    return stub.Apply(context, request, &reply);
  });
}

// SIGINT, SIGTERM and the ends of children are taken by Wait() from here on.
sigset_t BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return set;
}

// Passes signals on to the supervisor until it ends.
int WaitFor(OwnedChild& supervisor, const sigset_t& set) {
  while (true) {
    int number = 0;
    sigwait(&set, &number);
    if (number != SIGCHLD) {
      kill(supervisor.pid(), number);
      continue;
    }
    ExitState state;
    while (const pid_t pid = ReapAnyChild(&state)) {
      if (pid != supervisor.pid()) continue;  // The coordinator; the supervisor will notice.
      supervisor.SetGone();
      return state.code();
    }
  }
}

absl::StatusOr<v1::JobSpec> CheckedSpec(RunFlags& flags) {
  MUSTER_ASSIGN_OR_RETURN(v1::JobSpec spec, LoadSpec(flags.spec));
  MUSTER_ASSIGN_OR_RETURN(JobSpec core, FromProto(spec));
  MUSTER_RETURN_IF_ERROR(ValidateJobSpec(core).status());
  const int64_t wanted = spec.world_size() + spec.spares();
  if (flags.nproc == 0) flags.nproc = wanted;
  if (flags.nproc == wanted) return spec;
  return absl::InvalidArgumentError(
      absl::StrCat("--nproc ", flags.nproc, " does not fit the job: world ", spec.world_size(),
                   " and spares ", spec.spares(), " want ", wanted, " processes"));
}

absl::StatusOr<int> RunHere(RunFlags& flags, const Args& command) {
  MUSTER_ASSIGN_OR_RETURN(const v1::JobSpec spec, CheckedSpec(flags));
  const sigset_t signals = BlockSignals();
  RunTls tls;
  if (flags.tls == "auto") {
    MUSTER_ASSIGN_OR_RETURN(tls, MakeRunTls(spec.name(), Hostname(), flags.nproc));
  }
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<OwnedChild> coordinator,
                          StartCoordinator(tls.coordinator));
  MUSTER_ASSIGN_OR_RETURN(Addresses addresses, ReadAddresses(coordinator->stdout_fd()));
  // Before any call: gRPC makes threads, and a process with threads must not fork. The workers wait
  // until their job exists.
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<OwnedChild> supervisor,
                          StartSupervisor(flags, spec.name(), addresses.workers, tls, command));
  MUSTER_RETURN_IF_ERROR(ApplyJob(addresses.admins, tls.admin, spec));
  MUSTER_RETURN_IF_ERROR(WriteContext(addresses.admins, tls.admin));
  const int code = WaitFor(*supervisor, signals);
  RemoveContext(addresses.admins);
  coordinator->End(SIGTERM);
  return code;
}

absl::StatusOr<int> RunElsewhere(const RunFlags& flags, const Args& command) {
  if (flags.spec.job.empty() || flags.nproc == 0) {
    return absl::InvalidArgumentError("with --coordinator, --job and --nproc are needed, too");
  }
  if (flags.tls == "auto") {
    return absl::InvalidArgumentError(
        "--tls auto is for a coordinator that is started here; give --tls-cert, --tls-key and "
        "--tls-ca for the one that runs already");
  }
  RunTls tls;
  tls.supervisor = flags.files;
  const sigset_t signals = BlockSignals();
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<OwnedChild> supervisor,
                          StartSupervisor(flags, flags.spec.job, flags.coordinator, tls, command));
  return WaitFor(*supervisor, signals);
}

void Declare(Config& config, RunFlags& flags) {
  AddSpecFlags(config, flags.spec);
  config.AddInt({.name = "nproc",
                 .help = "Processes; 0: as many as the job wants.",
                 .placeholder = "N",
                 .letter = 'n'},
                &flags.nproc, {.least = 0, .most = 1024});
  config.AddString({.name = "coordinator",
                    .help = "Join the job of a coordinator that runs already.",
                    .placeholder = "HOST:PORT"},
                   &flags.coordinator);
  config.AddString({.name = "host-id",
                    .help = "Identity of this host; by default found out.",
                    .placeholder = "ID"},
                   &flags.host_id);
  config.AddChoice(
      {.name = "tls",
       .help = "auto: the job runs over mTLS, by a CA that is thrown away at its end."},
      &flags.tls, {"auto", "off"});
  config.AddString({.name = "tls-cert",
                    .help = "Certificate chain for the job, to join it by --coordinator.",
                    .placeholder = "FILE"},
                   &flags.files.cert);
  config.AddString({.name = "tls-key", .help = "Its private key.", .placeholder = "FILE"},
                   &flags.files.key);
  config.AddString(
      {.name = "tls-ca", .help = "Who signs the coordinator's certificate.", .placeholder = "FILE"},
      &flags.files.ca);
}

}  // namespace

int Run(const Args& args) {
  RunFlags flags;
  Config config("muster run", "Runs a job on this machine: a coordinator and N processes.");
  Declare(config, flags);
  config.WantCommand("COMMAND [ARGUMENT...]");
  if (absl::Status status = config.Parse(args); !status.ok()) return FailUsage(status);
  if (config.help_wanted()) return std::fputs(config.HelpText().c_str(), stdout), kOk;

  const absl::StatusOr<int> code = flags.coordinator.empty()
                                       ? RunHere(flags, config.command())
                                       : RunElsewhere(flags, config.command());
  return code.ok() ? *code : Fail(code.status());
}

}  // namespace muster::cli
