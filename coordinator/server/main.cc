// muster-coordinator: one coordinator as a process.

#include <signal.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/base/error_detail.h"
#include "common/support/config.h"
#include "common/support/log.h"
#include "common/support/log_flags.h"
#include "coordinator/journal/memory/memory_journal.h"
#include "coordinator/server/server.h"

namespace muster::coordinator {
namespace {

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "Error: %s\n", std::string(status.message()).c_str());
  return code;
}

// The first of SIGTERM and SIGINT. Both are blocked in every thread that is made after this.
class StopSignal {
 public:
  StopSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  void Wait() const {
    int signal = 0;
    sigwait(&set_, &signal);
  }

 private:
  sigset_t set_;
};

void Declare(Config& config, Server::Options& options, bool& insecure) {
  config.AddString(
      {.name = "worker-address", .help = "Where workers dial.", .placeholder = "HOST:PORT"},
      &options.worker_address);
  config.AddString(
      {.name = "admin-address", .help = "Where admins dial.", .placeholder = "HOST:PORT"},
      &options.admin_address);
  config.AddString({.name = "health-http-address",
                    .help = "Where /livez and /readyz are served over plain HTTP.",
                    .placeholder = "HOST:PORT"},
                   &options.health_http_address);
  config.AddString({.name = "health-grpc-address",
                    .help = "Where grpc.health.v1 is served without TLS.",
                    .placeholder = "HOST:PORT"},
                   &options.health_grpc_address);
  config.AddString(
      {.name = "tls-cert", .help = "Certificate chain of the coordinator.", .placeholder = "FILE"},
      &options.tls.cert);
  config.AddString(
      {.name = "tls-key", .help = "Private key of the coordinator.", .placeholder = "FILE"},
      &options.tls.key);
  config.AddString({.name = "tls-ca",
                    .help = "Who signs the certificates of workers and admins.",
                    .placeholder = "FILE"},
                   &options.tls.ca);
  config.AddBool({.name = "insecure", .help = "Serve without TLS; on loopback only."}, &insecure);
}

int Main(const std::vector<std::string>& args) {
  Server::Options options;
  bool insecure = false;
  Config config("muster-coordinator", "Gives jobs their ranks, layouts and epochs.");
  config.AllowFile("CoordinatorConfiguration");
  Declare(config, options, insecure);
  LogFlags log_flags;
  AddLogFlags(config, log_flags);
  if (absl::Status status = config.Parse(args); !status.ok()) return Fail(status, 2);
  if (config.help_wanted()) {
    std::fputs(config.HelpText().c_str(), stdout);
    return 0;
  }
  if (options.tls.empty() && !insecure) {
    return Fail(absl::InvalidArgumentError("no TLS files: give --tls-cert, --tls-key and --tls-ca, "
                                           "or --insecure to serve loopback only"),
                2);
  }
  SetUpLog(log_flags, "coordinator");
  LogEffective(config);

  const StopSignal stop;
  options.on_halt = [](const std::string& reason) {
    Log(LogLevel::kError, "coordinator.halted").With("reason", reason);
    std::_Exit(1);
  };
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(std::make_unique<MemoryJournal>(), options);
  if (!server.ok()) return Fail(server.status(), 1);
  Log(LogLevel::kInfo, "coordinator.serving")
      .With("worker_address", (*server)->worker_address())
      .With("admin_address", (*server)->admin_address());
  std::printf("serving workers=%s admins=%s health=%s\n", (*server)->worker_address().c_str(),
              (*server)->admin_address().c_str(), (*server)->health_http_address().c_str());
  std::fflush(stdout);
  stop.Wait();
  (*server)->Stop();
  Log(LogLevel::kInfo, "coordinator.stopped");
  return 0;
}

}  // namespace
}  // namespace muster::coordinator

int main(int argc, char** argv) {
  return muster::coordinator::Main(std::vector<std::string>(argv + 1, argv + argc));
}
