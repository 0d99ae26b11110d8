// muster-worker: starts the worker processes of one host and watches over them.

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/support/config.h"
#include "common/support/log.h"
#include "common/support/log_flags.h"
#include "worker/supervisor/supervisor.h"

namespace muster {
namespace {

constexpr char kUsage[] =
    "usage: muster-worker exec [OPTIONS] -- COMMAND [ARGUMENT...]\n"
    "\n"
    "`muster-worker exec --help` lists the options.\n";

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "Error: %s\n", std::string(status.message()).c_str());
  return code;
}

void Declare(Config& config, SupervisorOptions& options) {
  config.AddString({.name = "coordinator",
                    .help = "Where the coordinator listens for workers.",
                    .placeholder = "HOST:PORT",
                    .required = true},
                   &options.coordinator);
  config.AddString({.name = "job",
                    .help = "Name of the job to join.",
                    .placeholder = "JOB",
                    .letter = 'j',
                    .required = true},
                   &options.job);
  config.AddString({.name = "worker-prefix",
                    .help = "Child N is worker PREFIX-N; by default the hostname.",
                    .placeholder = "PREFIX"},
                   &options.worker_prefix);
  config.AddString({.name = "host-id",
                    .help = "Identity of this host; by default found out.",
                    .placeholder = "ID"},
                   &options.host_id);
  config.AddString({.name = "advertise-address",
                    .help = "Address at which peers reach the workers; by default found out.",
                    .placeholder = "ADDRESS"},
                   &options.advertise_address);
  config.AddString({.name = "health-http-address",
                    .help = "Where /livez and /readyz are served over plain HTTP.",
                    .placeholder = "HOST:PORT"},
                   &options.health_http_address);
  config.AddInt(
      {.name = "nproc", .help = "How many processes to start.", .placeholder = "N", .letter = 'n'},
      &options.nproc, {.least = 1, .most = 1024});
  config.AddInt({.name = "node-rank",
                 .help = "Number of this host, for the torchrun variables.",
                 .placeholder = "N"},
                &options.node_rank, {.least = 0, .most = 65535});
  config.AddInt({.name = "nnodes",
                 .help = "Number of hosts, for the torchrun variables.",
                 .placeholder = "N"},
                &options.nnodes, {.least = 1, .most = 65536});
  config.AddDuration({.name = "grace", .help = "From SIGTERM to SIGKILL when one has failed."},
                     &options.grace);
  config.AddString(
      {.name = "tls-cert", .help = "Certificate chain for this job.", .placeholder = "FILE"},
      &options.tls.cert);
  config.AddString({.name = "tls-key", .help = "Its private key.", .placeholder = "FILE"},
                   &options.tls.key);
  config.AddString(
      {.name = "tls-ca", .help = "Who signs the coordinator's certificate.", .placeholder = "FILE"},
      &options.tls.ca);
  config.AddString({.name = "child-tls-cert",
                    .help = "Certificate chain of child N, with {index} in place of N; by default "
                            "that of --tls-cert.",
                    .placeholder = "FILE"},
                   &options.child_tls_cert);
  config.AddString({.name = "child-tls-key",
                    .help = "Private key of child N, with {index} in place of N.",
                    .placeholder = "FILE"},
                   &options.child_tls_key);
  config.WantCommand("COMMAND [ARGUMENT...]");
}

std::string Hostname() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

int Exec(const std::vector<std::string>& args) {
  SupervisorOptions options;
  options.worker_prefix = Hostname();
  Config config("muster-worker exec", "Starts worker processes and watches over them.");
  Declare(config, options);
  LogFlags log_flags;
  AddLogFlags(config, log_flags);
  if (absl::Status status = config.Parse(args); !status.ok()) return Fail(status, 2);
  if (config.help_wanted()) {
    std::fputs(config.HelpText().c_str(), stdout);
    return 0;
  }
  if (options.child_tls_cert.empty() != options.child_tls_key.empty()) {
    return Fail(absl::InvalidArgumentError(
                    "--child-tls-cert and --child-tls-key belong together: only one is set"),
                2);
  }
  SetUpLog(log_flags, "supervisor");
  options.command = config.command();
  const absl::StatusOr<int> code = Supervise(options);
  return code.ok() ? *code : Fail(code.status(), 1);
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && args[0] == "exec") {
    return muster::Exec(std::vector<std::string>(args.begin() + 1, args.end()));
  }
  const bool help = !args.empty() && (args[0] == "--help" || args[0] == "-h");
  std::fputs(muster::kUsage, help ? stdout : stderr);
  return help ? 0 : 2;
}
