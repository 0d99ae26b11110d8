#include "worker/comm/gloo/sigpipe.h"

#include <ctime>

namespace muster {
namespace {

sigset_t OnlySigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool IsPending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

void BlockSigpipe() {
  const sigset_t set = OnlySigpipe();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

ScopedSigpipeBlock::ScopedSigpipeBlock() : was_pending_(IsPending()) {
  const sigset_t set = OnlySigpipe();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

ScopedSigpipeBlock::~ScopedSigpipeBlock() {
  if (!was_pending_ && IsPending()) {
    const sigset_t set = OnlySigpipe();
    const timespec at_once = {};
    sigtimedwait(&set, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace muster
