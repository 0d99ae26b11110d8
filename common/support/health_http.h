#ifndef MUSTER_COMMON_SUPPORT_HEALTH_HTTP_H_
#define MUSTER_COMMON_SUPPORT_HEALTH_HTTP_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/support/bind_address.h"

namespace muster {

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

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_HEALTH_HTTP_H_
