#ifndef MUSTER_COMMON_WIRE_LIMITS_H_
#define MUSTER_COMMON_WIRE_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

// Limits of what crosses the wire, beside those that the values have by themselves.
namespace muster {

// The protocols that this build speaks, both ends included.
inline constexpr int32_t kProtocolMin = 1;
inline constexpr int32_t kProtocolMax = 1;

// Bytes of one message of WorkerService.Session, and of any other call.
inline constexpr int kSessionMessageBytesMax = 64 << 20;
inline constexpr int kCallMessageBytesMax = 4 << 20;

// Every time is from 0 to this.
inline constexpr absl::Duration kWireDurationMax = absl::Hours(30 * 24);

// Entries of a list of peers, endpoints, members, ranks or processes.
inline constexpr int kSessionListMax = 65536;

// Dimensions that one flatten lists.
inline constexpr int kFlattenDimsMax = 256;

// Kinds of groups of one preset that have a backend of their own.
inline constexpr int kPresetKindsMax = 256;

inline constexpr size_t kHostIdBytesMax = 256;
inline constexpr size_t kHostnameBytesMax = 256;
inline constexpr size_t kBootIdBytesMax = 128;
inline constexpr size_t kPidNamespaceBytesMax = 128;
inline constexpr size_t kDeviceUuidBytesMax = 128;
inline constexpr size_t kGroupNameBytesMax = 256;
inline constexpr size_t kDoingBytesMax = 512;
inline constexpr size_t kLeakBytesMax = 512;
inline constexpr size_t kWaitingForBytesMax = 1024;

// Bytes of an encoded ErrorDetail. With the message it stays within the 8 KiB of metadata that gRPC
// lets through.
inline constexpr size_t kErrorDetailBytesMax = 3072;
inline constexpr size_t kErrorKindBytesMax = 63;

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_LIMITS_H_
