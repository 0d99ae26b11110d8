#ifndef MUSTER_TESTS_WORKER_COMM_GLOO_GLOO_FOR_TEST_H_
#define MUSTER_TESTS_WORKER_COMM_GLOO_GLOO_FOR_TEST_H_

#include <memory>

#include "common/base/clock.h"
#include "worker/comm/gloo/gloo_backend.h"

namespace muster {

inline std::unique_ptr<Backend> MakeGlooForTest(const Clock* clock) {
  return std::make_unique<GlooBackend>(GlooOptions{.address = "127.0.0.1"}, clock);
}

}  // namespace muster

#endif  // MUSTER_TESTS_WORKER_COMM_GLOO_GLOO_FOR_TEST_H_
