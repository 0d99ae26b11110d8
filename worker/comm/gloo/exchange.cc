#include "worker/comm/gloo/exchange.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "worker/comm/gloo/transfers.h"

namespace muster {
namespace {

// The records that arrived so far, of a rank and of those before it, round the circle.
class Window {
 public:
  Window(GroupRank self, int32_t size, const Record& own)
      : self_(self), records_(static_cast<size_t>(size)) {
    records_[Place(self.value)] = own;
  }

  // The rank that is `distance` after, or before if it is negative, this one.
  GroupRank At(int32_t distance) const { return GroupRank(Wrap(self_.value + distance)); }

  // The records of this rank and of the `count` - 1 before it.
  std::string Pack(int32_t count) const {
    std::string bytes;
    for (int32_t back = count - 1; back >= 0; --back) {
      Append(*records_[Place(self_.value - back)], &bytes);
    }
    return bytes;
  }

  // Puts in what `from` packed. What is not readable stays away.
  void Unpack(GroupRank from, int32_t count, std::span<const std::byte> bytes) {
    for (int32_t back = count - 1; back >= 0; --back) {
      std::optional<Record> record = TakeRecord(&bytes);
      if (!record.has_value()) return;
      records_[Place(from.value - back)] = std::move(record);
    }
  }

  std::set<GroupRank> Missing() const {
    std::set<GroupRank> missing;
    for (int32_t rank = 0; rank < Size(); ++rank) {
      if (!records_[Place(rank)].has_value()) missing.insert(GroupRank(rank));
    }
    return missing;
  }

  std::vector<Record> Take() {
    std::vector<Record> records;
    for (std::optional<Record>& record : records_) records.push_back(std::move(*record));
    return records;
  }

 private:
  int32_t Size() const { return static_cast<int32_t>(records_.size()); }
  int32_t Wrap(int32_t rank) const { return (rank % Size() + Size()) % Size(); }
  size_t Place(int32_t rank) const { return static_cast<size_t>(Wrap(rank)); }

  const GroupRank self_;
  std::vector<std::optional<Record>> records_;
};

struct Incoming {
  int32_t count = 0;
  std::vector<std::byte> bytes;
};

// One round: each rank has the records of `distance` ranks, itself the last of them, and gets the
// next ones.
Outcome RunRound(Mesh* mesh, uint64_t slot, int32_t distance, Window* window,
                 const DeadlineSource& deadline) {
  std::map<GroupRank, Incoming> incoming;
  std::vector<std::string> outgoing;
  outgoing.reserve(kExchangeRadix);
  Transfers transfers(mesh, &deadline);
  for (int32_t step = 1; step < kExchangeRadix && step * distance < mesh->size(); ++step) {
    const int32_t count = std::min(distance, mesh->size() - step * distance);
    const GroupRank from = window->At(-step * distance);
    Incoming& in = incoming[from];
    in.count = count;
    in.bytes.resize(static_cast<size_t>(count) * kRecordBytesMax);
    transfers.Recv(from, slot, in.bytes.data(), in.bytes.size());
  }
  for (int32_t step = 1; step < kExchangeRadix && step * distance < mesh->size(); ++step) {
    const int32_t count = std::min(distance, mesh->size() - step * distance);
    outgoing.push_back(window->Pack(count));
    transfers.Send(window->At(step * distance), slot, outgoing.back().data(),
                   outgoing.back().size());
  }
  Outcome outcome = FinishOrBreak(mesh, &transfers);
  for (const auto& [from, in] : incoming) {
    if (outcome.absent.count(from) == 0) window->Unpack(from, in.count, in.bytes);
  }
  return outcome;
}

}  // namespace

Exchanged ExchangeRecords(Mesh* mesh, uint64_t first_slot, const Record& own,
                          const DeadlineSource& deadline) {
  Exchanged result;
  Window window(mesh->self(), mesh->size(), own);
  uint64_t slot = first_slot;
  for (int32_t distance = 1; distance < mesh->size(); distance *= kExchangeRadix) {
    result.outcome = RunRound(mesh, slot++, distance, &window, deadline);
    if (result.outcome.ended != Ended::kDone) break;
  }
  const std::set<GroupRank> missing = window.Missing();
  if (!missing.empty()) result.outcome.absent = missing;
  if (result.outcome.ended != Ended::kDone) return result;
  if (missing.empty()) {
    result.records = window.Take();
  } else {  // What came is no record: somebody speaks another version.
    result.outcome.ended = Ended::kReset;
    result.outcome.findings = BreakAfter(mesh, Ended::kReset);
  }
  return result;
}

}  // namespace muster
