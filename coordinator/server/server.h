#ifndef MUSTER_COORDINATOR_SERVER_SERVER_H_
#define MUSTER_COORDINATOR_SERVER_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "common/rpc/endpoint.h"
#include "coordinator/journal/journal.h"

namespace muster::coordinator {

// A whole coordinator in one process: journal, machine, event loop and listeners.
//
// Lifetime: serving from Start() until Stop() or the destructor. Stop() refuses new calls, ends the
// streams with kUnavailable (workers dial again), and ends the loop; it takes at most 2 s.
//
// Thread safety: all methods from one thread.
class Server {
 public:
  struct Options {
    // Where to listen, HOST:PORT with a numeric host; port 0 lets the system choose. For gRPC,
    // 0.0.0.0 and [::] alike stand for all addresses of both families. Health is served to everyone
    // and says nothing but whether the coordinator is well; empty: not at all.
    std::string worker_address = "127.0.0.1:7070";
    std::string admin_address = "127.0.0.1:7071";
    std::string health_http_address;
    std::string health_grpc_address;
    // Of the worker and the admin port. With them, a caller may do what the URIs of its certificate
    // say (common/rpc/identity.h); without, anything.
    TlsFiles tls;
    std::function<void(const std::string&)> on_halt;  // The journal's state is unknown: exit.
  };

  // Reads the journal, binds every address and starts to serve.
  //
  // Errors: those of CheckPlainAllowed(), MakeServerCredentials(), ParseBindAddress() and
  // WhyNotBound() (kAlreadyExists: an address is in use; it is named), of Journal::Read() and of
  // Machine::Load().
  static absl::StatusOr<std::unique_ptr<Server>> Start(std::unique_ptr<Journal> journal,
                                                       const Options& options);
  virtual ~Server() = default;

  // What was really bound, HOST:PORT; empty if not asked for.
  virtual std::string worker_address() const = 0;
  virtual std::string admin_address() const = 0;
  virtual std::string health_http_address() const = 0;
  virtual std::string health_grpc_address() const = 0;

  virtual void Stop() = 0;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_SERVER_H_
