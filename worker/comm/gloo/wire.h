#ifndef MUSTER_WORKER_COMM_GLOO_WIRE_H_
#define MUSTER_WORKER_COMM_GLOO_WIRE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "worker/comm/group_facts.h"
#include "worker/comm/operation.h"

// What members of a Gloo group say to each other beside data, and its bytes. Every message has a
// fixed largest size, for which the receiver makes room: a message that is longer than its room
// ends the receiving process inside gloo. Numbers are little-endian.
namespace muster {

// The most members of a Gloo group: each opens a listening socket for each other one.
inline constexpr int32_t kGlooGroupMax = 256;

inline constexpr size_t kIdentityBytes = 64;
inline constexpr size_t kFarewellBytes = 64;
inline constexpr size_t kHeaderBytes = 64;

// Payload of one rank that fits beside its header.
inline constexpr size_t kInlineBytesMax = 1024;
inline constexpr size_t kRecordBytesMax = kHeaderBytes + kInlineBytesMax;

// Who is at one end of a connection: the first message on each.
struct Identity {
  JobUid job;
  Epoch epoch;
  uint64_t group = 0;  // GroupHash() of the group's full name.
  GroupRank rank;
  Incarnation incarnation;

  friend bool operator==(const Identity&, const Identity&) = default;

  // "job 7, epoch 3, group 1f.., group rank 2, incarnation 9"
  std::string ToString() const;
};

// A number for some bytes, the same on every machine.
uint64_t HashOf(std::string_view bytes);

// A number for a group's full name, the same on every machine.
inline uint64_t GroupHash(std::string_view name) { return HashOf(name); }

// What the member at `rank` of `facts` must show.
Identity IdentityOf(const GroupFacts& facts, GroupRank rank);

std::array<std::byte, kIdentityBytes> Encode(const Identity& identity);

// Nothing if the bytes are no identity.
std::optional<Identity> DecodeIdentity(std::span<const std::byte> bytes);

// Why a member closes its connections.
enum class FarewellReason : uint8_t {
  kClosed = 1,   // It is done with the group.
  kTimeout = 2,  // It ran out of time.
  kLost = 3,     // It lost the connections to `suspects`.
  kRefused = 4,  // It refused who is at the other end.
  kAborted = 5,  // It was told to.
};

// The last message on a connection.
struct Farewell {
  FarewellReason reason = FarewellReason::kClosed;
  std::set<GroupRank> suspects;

  friend bool operator==(const Farewell&, const Farewell&) = default;
};

std::array<std::byte, kFarewellBytes> Encode(const Farewell& farewell);
std::optional<Farewell> DecodeFarewell(std::span<const std::byte> bytes);

// Why a rank refuses its own part of an operation.
enum class Refusal : uint8_t {
  kNone = 0,         // It does not.
  kInvalid = 1,      // Its arguments are wrong.
  kUnsupported = 2,  // Nobody reduces such elements this way.
};

// One rank's part of one operation. All ranks must make the same call, apart from `refusal`.
struct Call {
  uint64_t sequence = 0;  // Counts collectives of a communicator, or messages in one direction.
  Operation operation = Operation::kBarrier;
  DType dtype = DType::kUint8;
  ReduceOp reduce = ReduceOp::kSum;
  int64_t count = 0;  // Elements, as HeaderOf() says for each operation.
  GroupRank root;
  Refusal refusal = Refusal::kNone;  // If it is another, the payload says why.
  uint64_t counts_hash = 0;          // Of the elements of each rank, where they differ.
  uint64_t common_hash = 0;          // As of OperationCall.

  friend bool operator==(const Call&, const Call&) = default;
};

// A call with the payload that rides along.
struct Record {
  Call call;
  std::string payload;  // At most kInlineBytesMax.
};

// Appends the bytes of `record` to `out`.
void Append(const Record& record, std::string* out);

// Numbers of elements, eight bytes each.
std::string PackCounts(std::span<const int64_t> counts);

// As many numbers as there are in `bytes`.
std::vector<int64_t> UnpackCounts(std::string_view bytes);

// Takes one record off the front of `bytes`; nothing if there is none.
std::optional<Record> TakeRecord(std::span<const std::byte>* bytes);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_WIRE_H_
