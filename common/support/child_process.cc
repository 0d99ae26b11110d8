#include "common/support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

// A pipe whose ends are not given on to programs; -1, -1 if not wanted.
struct Pipe {
  int read_end = -1;
  int write_end = -1;

  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void Close() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
};

std::vector<std::string> MergedEnvironment(const std::map<std::string, std::string>& overlay) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals == nullptr) continue;
    merged[std::string(*entry, static_cast<size_t>(equals - *entry))] = equals + 1;
  }
  for (const auto& [name, value] : overlay) merged[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : merged) entries.push_back(absl::StrCat(name, "=", value));
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the new process. Writes errno to `failure` if the program cannot be run.
[[noreturn]] void Become(char** argv, char** env, const Pipe& out, const Pipe& err, int failure,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // It ended before the line above.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (out.write_end >= 0) dup2(out.write_end, STDOUT_FILENO);
  if (err.write_end >= 0) dup2(err.write_end, STDERR_FILENO);
  execvpe(argv[0], argv, env);
  const int why = errno;
  (void)!write(failure, &why, sizeof(why));
  _exit(127);
}

absl::Status NoResources(const char* what) {
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot start a process: ", what, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<Child> StartChild(const ChildSpec& spec) {
  std::vector<std::string> command = spec.command;
  std::vector<std::string> environment = MergedEnvironment(spec.environment);
  const std::vector<char*> argv = Pointers(command);
  const std::vector<char*> env = Pointers(environment);
  Pipe out;
  Pipe err;
  Pipe failure;
  if ((spec.capture_stdout && !out.Open()) || (spec.capture_stderr && !err.Open()) ||
      !failure.Open()) {
    const absl::Status status = NoResources("pipe");
    for (Pipe* pipe : {&out, &err, &failure}) pipe->Close();
    return status;
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    Become(const_cast<char**>(argv.data()), const_cast<char**>(env.data()), out, err,
           failure.write_end, parent);
  }
  for (int end : {out.write_end, err.write_end, failure.write_end}) {
    if (end >= 0) close(end);
  }
  int why = 0;
  const bool failed = pid > 0 && read(failure.read_end, &why, sizeof(why)) == sizeof(why);
  close(failure.read_end);
  if (pid > 0 && !failed) return Child{pid, out.read_end, err.read_end};

  for (int end : {out.read_end, err.read_end}) {
    if (end >= 0) close(end);
  }
  if (pid < 0) return NoResources("fork");
  WaitForChild(pid);
  return absl::NotFoundError(
      absl::StrCat("cannot run '", spec.command[0], "': ", std::strerror(why)));
}

ExitState WaitForChild(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
  return {false, WEXITSTATUS(status)};
}

pid_t ReapAnyChild(ExitState* state) {
  int status = 0;
  const pid_t pid = waitpid(-1, &status, WNOHANG);
  if (pid <= 0) return 0;
  *state = WIFSIGNALED(status) ? ExitState{true, WTERMSIG(status)}
                               : ExitState{false, WEXITSTATUS(status)};
  return pid;
}

std::string ProgramPath(const std::string& name) {
  if (const char* folder = std::getenv("MUSTER_BIN_DIR"); folder != nullptr && *folder != '\0') {
    return absl::StrCat(folder, "/", name);
  }
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  const std::string self(path, length > 0 ? static_cast<size_t>(length) : 0);
  const size_t slash = self.rfind('/');
  return slash == std::string::npos ? name : absl::StrCat(self.substr(0, slash), "/", name);
}

}  // namespace muster
