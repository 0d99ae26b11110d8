#include "worker/comm/gloo/wire.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace muster {
namespace {

// First bytes of each kind of message: says what follows and in which version.
constexpr uint32_t kIdentityMagic = 0x3149'534dU;  // "MSI1"
constexpr uint32_t kFarewellMagic = 0x3146'534dU;  // "MSF1"
constexpr uint32_t kRecordMagic = 0x3152'534dU;    // "MSR1"

// Writes numbers one after the other into a message of zeros.
class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}

  template <typename T>
  Writer& Put(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      out_[at_ + i] = static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i));
    }
    at_ += sizeof(T);
    return *this;
  }

 private:
  std::span<std::byte> out_;
  size_t at_ = 0;
};

// Reads them back. The message is long enough.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}

  template <typename T>
  T Get() {
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<uint64_t>(in_[at_ + i]) << (8 * i);
    }
    at_ += sizeof(T);
    return static_cast<T>(value);
  }

 private:
  std::span<const std::byte> in_;
  size_t at_ = 0;
};

bool IsOperation(uint8_t number) {
  return std::any_of(std::begin(kAllOperations), std::end(kAllOperations),
                     [number](Operation op) { return static_cast<uint8_t>(op) == number; });
}

}  // namespace

std::string Identity::ToString() const {
  return absl::StrCat("job ", absl::Hex(job.value), ", epoch ", epoch.value, ", group ",
                      absl::Hex(group), ", group rank ", rank.value, ", incarnation ",
                      absl::Hex(incarnation.value));
}

uint64_t HashOf(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char byte : bytes) {
    hash ^= static_cast<uint8_t>(byte);
    hash *= 0x100000001b3U;
  }
  return hash;
}

Identity IdentityOf(const GroupFacts& facts, GroupRank rank) {
  return {.job = facts.job,
          .epoch = facts.epoch,
          .group = GroupHash(facts.name),
          .rank = rank,
          .incarnation = facts.member(rank).incarnation};
}

std::array<std::byte, kIdentityBytes> Encode(const Identity& identity) {
  std::array<std::byte, kIdentityBytes> bytes = {};
  Writer(bytes)
      .Put(kIdentityMagic)
      .Put(identity.rank.value)
      .Put(identity.job.value)
      .Put(identity.epoch.value)
      .Put(identity.group)
      .Put(identity.incarnation.value);
  return bytes;
}

std::optional<Identity> DecodeIdentity(std::span<const std::byte> bytes) {
  if (bytes.size() < kIdentityBytes) return std::nullopt;
  Reader reader(bytes);
  if (reader.Get<uint32_t>() != kIdentityMagic) return std::nullopt;
  Identity identity;
  identity.rank = GroupRank(reader.Get<int32_t>());
  identity.job = JobUid(reader.Get<uint64_t>());
  identity.epoch = Epoch(reader.Get<int64_t>());
  identity.group = reader.Get<uint64_t>();
  identity.incarnation = Incarnation(reader.Get<uint64_t>());
  return identity;
}

std::array<std::byte, kFarewellBytes> Encode(const Farewell& farewell) {
  static_assert(8 + kGlooGroupMax / 8 <= kFarewellBytes);
  std::array<std::byte, kFarewellBytes> bytes = {};
  Writer(bytes).Put(kFarewellMagic).Put(static_cast<uint8_t>(farewell.reason));
  for (const GroupRank rank : farewell.suspects) {
    MUSTER_CHECK(rank.value >= 0 && rank.value < kGlooGroupMax, "not a rank of a Gloo group");
    const auto bit = static_cast<size_t>(rank.value);
    bytes[8 + bit / 8] |= std::byte{1} << (bit % 8);
  }
  return bytes;
}

std::optional<Farewell> DecodeFarewell(std::span<const std::byte> bytes) {
  if (bytes.size() < kFarewellBytes) return std::nullopt;
  Reader reader(bytes);
  if (reader.Get<uint32_t>() != kFarewellMagic) return std::nullopt;
  const auto reason = reader.Get<uint8_t>();
  if (reason < static_cast<uint8_t>(FarewellReason::kClosed) ||
      reason > static_cast<uint8_t>(FarewellReason::kAborted)) {
    return std::nullopt;
  }
  Farewell farewell{.reason = static_cast<FarewellReason>(reason), .suspects = {}};
  for (int32_t rank = 0; rank < kGlooGroupMax; ++rank) {
    const auto bit = static_cast<size_t>(rank);
    if ((bytes[8 + bit / 8] & (std::byte{1} << (bit % 8))) != std::byte{0}) {
      farewell.suspects.insert(GroupRank(rank));
    }
  }
  return farewell;
}

void Append(const Record& record, std::string* out) {
  MUSTER_CHECK(record.payload.size() <= kInlineBytesMax, "a payload that has no room in a record");
  const Call& call = record.call;
  std::array<std::byte, kHeaderBytes> header = {};
  Writer(header)
      .Put(kRecordMagic)
      .Put(static_cast<uint8_t>(call.operation))
      .Put(static_cast<uint8_t>(call.dtype))
      .Put(static_cast<uint8_t>(call.reduce))
      .Put(static_cast<uint8_t>(call.refusal))
      .Put(static_cast<uint32_t>(record.payload.size()))
      .Put(call.root.value)
      .Put(call.sequence)
      .Put(call.count)
      .Put(call.counts_hash)
      .Put(call.common_hash);
  out->append(reinterpret_cast<const char*>(header.data()), header.size());
  out->append(record.payload);
}

std::string PackCounts(std::span<const int64_t> counts) {
  std::string bytes(counts.size() * sizeof(int64_t), '\0');
  Writer writer(std::as_writable_bytes(std::span<char>(bytes)));
  for (const int64_t count : counts) writer.Put(count);
  return bytes;
}

std::vector<int64_t> UnpackCounts(std::string_view bytes) {
  std::vector<int64_t> counts(bytes.size() / sizeof(int64_t));
  Reader reader(std::as_bytes(std::span<const char>(bytes)));
  for (int64_t& count : counts) count = reader.Get<int64_t>();
  return counts;
}

std::optional<Record> TakeRecord(std::span<const std::byte>* bytes) {
  if (bytes->size() < kHeaderBytes) return std::nullopt;
  Reader reader(*bytes);
  if (reader.Get<uint32_t>() != kRecordMagic) return std::nullopt;
  const auto operation = reader.Get<uint8_t>();
  const std::optional<DType> dtype = ToDType(reader.Get<uint8_t>());
  const std::optional<ReduceOp> reduce = ToReduceOp(reader.Get<uint8_t>());
  if (!IsOperation(operation) || !dtype.has_value() || !reduce.has_value()) return std::nullopt;
  Record record;
  record.call.operation = static_cast<Operation>(operation);
  record.call.dtype = *dtype;
  record.call.reduce = *reduce;
  const auto refusal = reader.Get<uint8_t>();
  if (refusal > static_cast<uint8_t>(Refusal::kUnsupported)) return std::nullopt;
  record.call.refusal = static_cast<Refusal>(refusal);
  const auto payload_bytes = reader.Get<uint32_t>();
  record.call.root = GroupRank(reader.Get<int32_t>());
  record.call.sequence = reader.Get<uint64_t>();
  record.call.count = reader.Get<int64_t>();
  record.call.counts_hash = reader.Get<uint64_t>();
  record.call.common_hash = reader.Get<uint64_t>();
  if (payload_bytes > kInlineBytesMax || payload_bytes > bytes->size() - kHeaderBytes) {
    return std::nullopt;
  }
  const std::span<const std::byte> payload = bytes->subspan(kHeaderBytes, payload_bytes);
  record.payload.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  *bytes = bytes->subspan(kHeaderBytes + payload_bytes);
  return record;
}

}  // namespace muster
