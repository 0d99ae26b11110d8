#ifndef MUSTER_WORKER_COMM_GLOO_GLOO_BACKEND_H_
#define MUSTER_WORKER_COMM_GLOO_GLOO_BACKEND_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"
#include "worker/comm/backend.h"
#include "worker/comm/gloo/device.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/gloo/watcher.h"
#include "worker/comm/lanes.h"

namespace muster {

struct GlooOptions {
  // The address to listen on and to hand to peers: an IPv4 or IPv6 number of this machine, never a
  // name. Ports are the system's choice.
  std::string address;
};

// Communicators over TCP, on host memory. Traffic is neither encrypted nor authenticated beyond the
// proof of identity: the network between workers must be trusted.
//
// Takes groups of up to kGlooGroupMax members, and opens a port for each other member of each
// group. Costs the process one thread of gloo and one watcher, and a thread for each operation that
// is in progress at one time. Nothing is opened before the first OpenEndpoints(), which must come
// after a fork.
class GlooBackend final : public Backend {
 public:
  // `clock` is one whose time goes by, and outlives the backend.
  GlooBackend(GlooOptions options, const Clock* clock);
  ~GlooBackend() override;
  GlooBackend(const GlooBackend&) = delete;
  GlooBackend& operator=(const GlooBackend&) = delete;

  std::string_view name() const override { return "gloo"; }
  absl::StatusOr<std::unique_ptr<EpochEndpoints>> OpenEndpoints(EpochPlan plan) override;

 private:
  // Opens what all groups share, once.
  absl::StatusOr<Mesh::Host> OpenHost();

  const GlooOptions options_;
  const Clock* const clock_;
  LanePool lanes_;
  Monitor monitor_;
  std::unique_ptr<Device> device_ ABSL_GUARDED_BY(monitor_);    // Null until it is needed.
  std::unique_ptr<Watcher> watcher_ ABSL_GUARDED_BY(monitor_);  // The same.
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_GLOO_BACKEND_H_
