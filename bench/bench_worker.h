#ifndef MUSTER_BENCH_BENCH_WORKER_H_
#define MUSTER_BENCH_BENCH_WORKER_H_

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "worker/muster/join.h"

namespace muster {

// The first argument by which this program knows that it is a BenchWorker.
inline constexpr char kBenchWorkerArgument[] = "--worker";

// One worker process of a benchmark: this program again, with kBenchWorkerArgument and `argument`.
// It joins as JoinOptions::FromEnvironment() says. Killed by the destructor.
class BenchWorker {
 public:
  BenchWorker(const JoinOptions& options, const std::string& argument);
  ~BenchWorker();
  BenchWorker(const BenchWorker&) = delete;
  BenchWorker& operator=(const BenchWorker&) = delete;

  pid_t pid() const { return pid_; }

  // Writes a line to its input.
  void Tell(const std::string& line);

  // Waits for the next line that it prints; ends the program if there is none.
  std::string Line();

 private:
  pid_t pid_ = 0;
  FILE* in_ = nullptr;
  FILE* out_ = nullptr;
};

// Inside a worker: prints a line at once, and waits for one from the input; false at its end.
void SayLine(const std::string& line);
bool AwaitLine();

// The monotonic clock of the machine, the same in all processes, and the processor time that this
// process has used; both in nanoseconds.
int64_t MonotonicNanos();
int64_t CpuNanos();

}  // namespace muster

#endif  // MUSTER_BENCH_BENCH_WORKER_H_
