#include "worker/comm/operation.h"

#include <cstring>

namespace muster {

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::kAllReduce:
      return "all_reduce";
    case Operation::kAllGather:
      return "all_gather";
    case Operation::kBroadcast:
      return "broadcast";
    case Operation::kBarrier:
      return "barrier";
    case Operation::kSend:
      return "send";
    case Operation::kRecv:
      return "recv";
    case Operation::kReduce:
      return "reduce";
    case Operation::kGather:
      return "gather";
    case Operation::kScatter:
      return "scatter";
    case Operation::kReduceScatter:
      return "reduce_scatter";
    case Operation::kAllToAll:
      return "all_to_all";
    case Operation::kAllGatherV:
      return "all_gatherv";
    case Operation::kReduceScatterV:
      return "reduce_scatterv";
    case Operation::kAllToAllV:
      return "all_to_allv";
  }
  return "unknown";
}

bool Reduces(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kReduce ||
         operation == Operation::kReduceScatter || operation == Operation::kReduceScatterV;
}

bool HasRoot(Operation operation) {
  return operation == Operation::kBroadcast || operation == Operation::kReduce ||
         operation == Operation::kGather || operation == Operation::kScatter;
}

bool SharesDiffer(Operation operation) {
  return operation == Operation::kAllGatherV || operation == Operation::kReduceScatterV;
}

bool IsPointToPoint(Operation operation) {
  return operation == Operation::kSend || operation == Operation::kRecv;
}

DType ElementType(const OperationCall& call) {
  // A rank that is not the root of a scatter gives no input, and a recv has none.
  const bool by_output =
      call.operation == Operation::kScatter || call.operation == Operation::kRecv;
  return by_output ? call.output.dtype : call.input.dtype;
}

void CopyAlone(const OperationCall& call) {
  const auto bytes = static_cast<size_t>(BytesOf(call.input));
  if (bytes > 0 && call.output.data != call.input.data) {
    std::memcpy(call.output.data, call.input.data, bytes);
  }
}

}  // namespace muster
