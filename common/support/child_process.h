#ifndef MUSTER_COMMON_SUPPORT_CHILD_PROCESS_H_
#define MUSTER_COMMON_SUPPORT_CHILD_PROCESS_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace muster {

// How a process ended: by itself with a code, or by a signal.
struct ExitState {
  bool by_signal = false;
  int number = 0;

  // As a shell gives it on: the code, or 128 and the signal.
  int code() const { return by_signal ? 128 + number : number; }
};

// What to start, and how.
struct ChildSpec {
  std::vector<std::string> command;  // Not empty; the first word is looked up in PATH.
  std::map<std::string, std::string> environment;  // Laid over that of this process.
  bool capture_stdout = false;                     // Else it writes where this process writes.
  bool capture_stderr = false;
};

// A process that was started. It is killed by the kernel if the thread that started it ends, so
// nobody is orphaned. Its process group is its own.
struct Child {
  pid_t pid = 0;
  int stdout_fd = -1;  // To read from, if captured; the owner of this value closes it.
  int stderr_fd = -1;
};

// Starts a process. Call it before this process has threads that hold locks (gRPC), or from one
// that does nothing else: between fork and exec only async-signal-safe calls are made.
//
// Errors: kNotFound if the program cannot be run, naming it; kResourceExhausted if no process or
// descriptor can be had.
absl::StatusOr<Child> StartChild(const ChildSpec& spec);

// Waits for `pid` to end.
ExitState WaitForChild(pid_t pid);

// The end of any of this process's children, without waiting; pid 0 if none has ended.
pid_t ReapAnyChild(ExitState* state);

// Where the programs of this project lie: the folder of this one, or MUSTER_BIN_DIR.
std::string ProgramPath(const std::string& name);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_CHILD_PROCESS_H_
