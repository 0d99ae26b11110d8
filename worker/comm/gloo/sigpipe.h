#ifndef MUSTER_WORKER_COMM_GLOO_SIGPIPE_H_
#define MUSTER_WORKER_COMM_GLOO_SIGPIPE_H_

#include <signal.h>

namespace muster {

// Keeps SIGPIPE from the calling thread for good, and from threads that it starts.
void BlockSigpipe();

// Keeps SIGPIPE from the calling thread for the length of a scope.
//
// The packaged gloo writes to sockets in a way that raises it when the peer is gone, and its
// default action ends the process. It is raised in the thread that writes, so every thread of ours
// that may reach such a write holds one of these. A signal that a write raised is taken back.
class ScopedSigpipeBlock {
 public:
  ScopedSigpipeBlock();
  ~ScopedSigpipeBlock();
  ScopedSigpipeBlock(const ScopedSigpipeBlock&) = delete;
  ScopedSigpipeBlock& operator=(const ScopedSigpipeBlock&) = delete;

 private:
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_SIGPIPE_H_
