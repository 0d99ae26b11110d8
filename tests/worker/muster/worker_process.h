#ifndef MUSTER_TESTS_WORKER_MUSTER_WORKER_PROCESS_H_
#define MUSTER_TESTS_WORKER_MUSTER_WORKER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "worker/muster/join.h"

namespace muster {

// One process of worker_for_test. Killed by the destructor if it still runs.
class WorkerProcess {
 public:
  struct Options {
    JoinOptions join;
    std::string fault;  // As MUSTER_TEST_FAULT; empty: none.
    int64_t rounds = 1;
    uint64_t elements = 1;  // Of float32, summed in each round on each group.
  };

  explicit WorkerProcess(const Options& options);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Waits until it has printed its line or has ended, for at most 20 s, and gives the line: "signal
  // <n>" if that ended it, "still running" if it did neither.
  std::string Output();

  // Waits until it was stopped or has ended, for at most 20 s. False if neither happened.
  bool IsStruck();

 private:
  bool Poll();  // True once it has ended.

  void Read();

  pid_t pid_ = 0;
  int in_ = -1;
  int out_ = -1;
  std::string text_;  // What it has printed so far.
  bool ended_ = false;
  bool stopped_ = false;
  int signal_ = 0;  // That ended it.
};

}  // namespace muster

#endif  // MUSTER_TESTS_WORKER_MUSTER_WORKER_PROCESS_H_
