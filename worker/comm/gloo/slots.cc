#include "worker/comm/gloo/slots.h"

#include <string>

namespace muster {
namespace {

constexpr uint64_t kLow24 = (uint64_t{1} << 24U) - 1;

// The sequence, as far as it tells a call from its neighbours, and a fingerprint of the rest of the
// call. The lowest 24 bits are 0.
uint64_t Fingerprint(Call call) {
  const uint64_t sequence = call.sequence & 0xfffU;
  call.sequence = 0;
  if (call.operation == Operation::kRecv) call.operation = Operation::kSend;
  std::string bytes;
  Append({.call = call, .payload = {}}, &bytes);
  return (sequence << 48U) | ((HashOf(bytes) & kLow24) << 24U);
}

}  // namespace

uint64_t UncheckedSlot(const Call& header) { return (uint64_t{3} << 61U) | Fingerprint(header); }

uint64_t UncheckedMessageSlot(const Call& header, bool upwards) {
  return (uint64_t{1} << 63U) | (uint64_t{upwards} << 60U) | Fingerprint(header);
}

}  // namespace muster
