#ifndef MUSTER_CLI_CONNECTION_H_
#define MUSTER_CLI_CONNECTION_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/rpc/endpoint.h"
#include "common/support/config.h"
#include "muster/v1/admin.grpc.pb.h"

namespace muster::cli {

// Where the coordinator is and how to reach it.
struct ConnectionFlags {
  std::string endpoint;  // HOST:PORT of the admin port; empty: that of the newest `muster run`.
  TlsFiles tls;
  absl::Duration timeout = absl::Seconds(10);
};

// Declares --endpoint, --cert, --key, --cacert and --command-timeout.
void AddConnectionFlags(Config& config, ConnectionFlags& flags);

// The file in which `muster run` leaves the address of its coordinator and the names of the admin's
// TLS files for other commands: mode 0600 in a folder of mode 0700, $XDG_RUNTIME_DIR/muster or
// $HOME/.muster.
std::string ContextPath();

// Writes the context file, or removes it if it is still the one of `endpoint`.
absl::Status WriteContext(const std::string& endpoint, const TlsFiles& tls);
void RemoveContext(const std::string& endpoint);

// The admin service of the coordinator, with one deadline for each call.
class Admin {
 public:
  // What the flags leave out is taken from the context file: the endpoint, and with it the TLS
  // files.
  //
  // Errors: kNotFound if there is neither --endpoint nor a context file; those of MakeChannel().
  static absl::StatusOr<Admin> Connect(const ConnectionFlags& flags);

  // Makes one call: `call` gets a context with the deadline set. If the coordinator could not be
  // reached because of TLS, the error is kUnauthenticated and says what is wrong.
  absl::Status Call(
      const std::function<grpc::Status(v1::AdminService::Stub&, grpc::ClientContext*)>& call) const;

 private:
  Admin(std::unique_ptr<v1::AdminService::Stub> stub, ConnectionFlags flags)
      : stub_(std::move(stub)), flags_(std::move(flags)) {}

  std::unique_ptr<v1::AdminService::Stub> stub_;
  ConnectionFlags flags_;
};

// A random id for one change, to be used again only for its retries.
std::string DrawRequestId();

}  // namespace muster::cli

#endif  // MUSTER_CLI_CONNECTION_H_
