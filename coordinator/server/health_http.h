#ifndef MUSTER_COORDINATOR_SERVER_HEALTH_HTTP_H_
#define MUSTER_COORDINATOR_SERVER_HEALTH_HTTP_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/server/bind_address.h"

namespace muster::coordinator {

// /livez and /readyz over plain HTTP, for probes: 200 "ok" or 503 with the reason. Reads only, and
// tells nothing else.
class HealthHttp {
 public:
  // Gives an empty text if well, else why not. Called from a thread of the listener.
  using Check = std::function<std::string()>;

  // Errors: those of WhyNotBound().
  static absl::StatusOr<std::unique_ptr<HealthHttp>> Start(const BindAddress& address, Check live,
                                                           Check ready);
  virtual ~HealthHttp() = default;
  virtual int port() const = 0;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_HEALTH_HTTP_H_
