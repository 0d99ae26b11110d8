#include "worker/supervisor/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/base/clock_reading.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/support/bind_address.h"
#include "common/support/child_process.h"
#include "common/support/health_http.h"
#include "common/support/log.h"
#include "worker/supervisor/exit_reporter.h"

namespace muster {
namespace {

// The loop turns at least this often when it is asked for its health, and is stuck after this long.
constexpr int kTurnMsMax = 5000;
constexpr absl::Duration kStuckAfter = absl::Seconds(30);

// Passes lines of one pipe on, each behind `prefix`.
class LinePrinter {
 public:
  LinePrinter(int fd, FILE* to, std::string prefix) : fd_(fd), to_(to), prefix_(std::move(prefix)) {
    fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
  }

  int fd() const { return fd_; }

  // Reads what is there; false at the end.
  bool Pump() {
    char buffer[16384];
    while (true) {
      const ssize_t n = read(fd_, buffer, sizeof(buffer));
      if (n < 0) return errno == EAGAIN || errno == EINTR;
      if (n == 0) break;
      line_.append(buffer, static_cast<size_t>(n));
      PrintLines();
    }
    if (!line_.empty()) Print(line_.append("\n"));
    close(fd_);
    return false;
  }

 private:
  void PrintLines() {
    size_t from = 0;
    for (size_t at; (at = line_.find('\n', from)) != std::string::npos; from = at + 1) {
      Print(line_.substr(from, at + 1 - from));
    }
    line_.erase(0, from);
  }

  void Print(const std::string& line) {
    std::fputs(absl::StrCat(prefix_, line).c_str(), to_);
    std::fflush(to_);
  }

  const int fd_;
  FILE* const to_;
  const std::string prefix_;
  std::string line_;
};

struct Member {
  int64_t index = 0;
  std::string worker;
  uint64_t incarnation = 0;
};

class Supervisor {
 public:
  explicit Supervisor(const SupervisorOptions& options) : options_(options) {
    sigset_t set;
    sigemptyset(&set);
    for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Supervisor() {
    SignalAll(SIGKILL);
    for (const auto& [pid, member] : members_) WaitForChild(pid);
    close(signals_);
  }

  absl::StatusOr<int> Run() {
    for (int64_t i = 0; i < options_.nproc; ++i) MUSTER_RETURN_IF_ERROR(Start(i));
    // Only now: gRPC makes threads, and a process with threads must not fork.
    MUSTER_ASSIGN_OR_RETURN(reporter_, ExitReporter::Make(options_.coordinator, options_.tls));
    MUSTER_RETURN_IF_ERROR(ServeHealth());
    while (!members_.empty() || !printers_.empty()) Turn();
    reporter_->Flush(absl::Seconds(2));
    return result_.value_or(0);
  }

 private:
  // Alive while the loop turns, ready while every child runs.
  absl::Status ServeHealth() {
    if (options_.health_http_address.empty()) return absl::OkStatus();
    MUSTER_ASSIGN_OR_RETURN(const BindAddress address,
                            ParseBindAddress(options_.health_http_address));
    NoteTurn();
    const auto live = [this] {
      const absl::Duration since = absl::Nanoseconds(Nanoseconds() - turned_at_);
      return since < kStuckAfter
                 ? std::string()
                 : absl::StrCat("the loop has not turned for ", absl::FormatDuration(since));
    };
    const auto ready = [this] {
      const int64_t running = running_;
      return running == options_.nproc
                 ? std::string()
                 : absl::StrCat(running, " of ", options_.nproc, " processes run");
    };
    MUSTER_ASSIGN_OR_RETURN(health_, HealthHttp::Start(address, live, ready));
    return absl::OkStatus();
  }

  static int64_t Nanoseconds() {
    return absl::ToInt64Nanoseconds(ReadMonotonicClock() - MonotonicTime());
  }

  void NoteTurn() {
    turned_at_ = Nanoseconds();
    running_ = std::ssize(members_);
  }

  absl::Status Start(int64_t index) {
    Member member{index, absl::StrCat(options_.worker_prefix, "-", index), DrawNonZero64()};
    ChildSpec spec;
    spec.command = options_.command;
    spec.capture_stdout = spec.capture_stderr = true;
    spec.environment = Environment(member);
    MUSTER_ASSIGN_OR_RETURN(Child child, StartChild(spec));
    const std::string prefix = absl::StrCat("[", index, "] ");
    printers_.push_back(std::make_unique<LinePrinter>(child.stdout_fd, stdout, prefix));
    printers_.push_back(std::make_unique<LinePrinter>(child.stderr_fd, stderr, prefix));
    members_.emplace(child.pid, std::move(member));
    return absl::OkStatus();
  }

  std::map<std::string, std::string> Environment(const Member& member) const {
    const int64_t rank = options_.node_rank * options_.nproc + member.index;
    std::map<std::string, std::string> env = {
        {"MUSTER_COORDINATOR", options_.coordinator},
        {"MUSTER_JOB", options_.job},
        {"MUSTER_WORKER_ID", member.worker},
        {"MUSTER_INCARNATION", absl::StrCat(member.incarnation)},
        {"RANK", absl::StrCat(rank)},
        {"WORLD_SIZE", absl::StrCat(options_.nproc * options_.nnodes)},
        {"LOCAL_RANK", absl::StrCat(member.index)},
        {"LOCAL_WORLD_SIZE", absl::StrCat(options_.nproc)},
        {"GROUP_RANK", absl::StrCat(options_.node_rank)},
        {"GROUP_WORLD_SIZE", absl::StrCat(options_.nnodes)},
        {"ROLE_RANK", absl::StrCat(rank)},
        {"ROLE_WORLD_SIZE", absl::StrCat(options_.nproc * options_.nnodes)},
        {"TORCHELASTIC_RUN_ID", options_.job},
        {"TORCHELASTIC_RESTART_COUNT", "0"},
        {"TORCHELASTIC_MAX_RESTARTS", "0"}};
    if (!options_.host_id.empty()) env["MUSTER_HOST_ID"] = options_.host_id;
    if (!options_.advertise_address.empty()) {
      env["MUSTER_ADVERTISE_ADDRESS"] = options_.advertise_address;
    }
    if (!options_.tls.empty()) {
      const bool own = !options_.child_tls_cert.empty();
      env["MUSTER_TLS_CERT"] = own ? OfChild(options_.child_tls_cert, member) : options_.tls.cert;
      env["MUSTER_TLS_KEY"] = own ? OfChild(options_.child_tls_key, member) : options_.tls.key;
      env["MUSTER_TLS_CA"] = options_.tls.ca;
    }
    return env;
  }

  static std::string OfChild(const std::string& path, const Member& member) {
    return absl::StrReplaceAll(path, {{"{index}", absl::StrCat(member.index)}});
  }

  // Waits for output, a signal or the end of the grace, and handles it.
  void Turn() {
    std::vector<pollfd> fds = {{signals_, POLLIN, 0}};
    for (const auto& printer : printers_) fds.push_back({printer->fd(), POLLIN, 0});
    NoteTurn();
    int wait_ms = health_ == nullptr ? -1 : kTurnMsMax;
    if (kill_at_.has_value()) {
      const absl::Duration left = *kill_at_ - ReadMonotonicClock();
      wait_ms = static_cast<int>(std::max<int64_t>(0, absl::ToInt64Milliseconds(left)));
    }
    poll(fds.data(), fds.size(), wait_ms);
    for (size_t i = printers_.size(); i-- > 0;) {
      if (fds[i + 1].revents == 0 || printers_[i]->Pump()) continue;
      printers_.erase(printers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (fds[0].revents != 0) TakeSignals();
    if (kill_at_.has_value() && ReadMonotonicClock() >= *kill_at_) {
      SignalAll(SIGKILL);
      kill_at_.reset();
    }
  }

  void TakeSignals() {
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      if (info.ssi_signo == SIGCHLD) continue;
      EndAll(static_cast<int>(info.ssi_signo));
      if (!result_.has_value()) result_ = 128 + static_cast<int>(info.ssi_signo);
    }
    ExitState state;
    while (const pid_t pid = ReapAnyChild(&state)) Reap(pid, state);
  }

  void Reap(pid_t pid, const ExitState& state) {
    const auto it = members_.find(pid);
    if (it == members_.end()) return;
    const Member member = std::move(it->second);
    members_.erase(it);
    reporter_->Report({options_.job, member.worker, Incarnation(member.incarnation),
                       state.by_signal, state.number});
    if (state.code() == 0) return;
    Log(LogLevel::kWarning, "supervisor.child_failed")
        .Job(options_.job)
        .Worker(member.worker)
        .With(state.by_signal ? "signal" : "code", state.number);
    if (!result_.has_value()) result_ = state.code();
    EndAll(SIGTERM);
  }

  void EndAll(int number) {
    SignalAll(number);
    if (!kill_at_.has_value()) kill_at_ = ReadMonotonicClock() + options_.grace;
  }

  void SignalAll(int number) {
    for (const auto& [pid, member] : members_) kill(-pid, number);
  }

  const SupervisorOptions& options_;
  int signals_ = -1;
  std::map<pid_t, Member> members_;  // That still run.
  std::vector<std::unique_ptr<LinePrinter>> printers_;
  std::unique_ptr<ExitReporter> reporter_;
  std::atomic<int64_t> turned_at_ = 0;  // When the loop turned last, in nanoseconds.
  std::atomic<int64_t> running_ = 0;    // Children that run.
  std::unique_ptr<HealthHttp> health_;  // Null unless asked for.
  std::optional<int> result_;
  std::optional<MonotonicTime> kill_at_;
};

}  // namespace

absl::StatusOr<int> Supervise(const SupervisorOptions& options) {
  return Supervisor(options).Run();
}

}  // namespace muster
