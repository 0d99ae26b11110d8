#include "common/rpc/status.h"

#include <string>

#include "common/wire/error.h"

namespace muster {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()),
                      EncodeStatusDetails(status));
}

absl::Status FromGrpc(const grpc::Status& status) {
  return DecodeStatus(static_cast<int>(status.error_code()), status.error_message(),
                      status.error_details());
}

}  // namespace muster
