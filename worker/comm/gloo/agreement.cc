#include "worker/comm/gloo/agreement.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "worker/comm/gloo/calls.h"
#include "worker/comm/gloo/exchange.h"
#include "worker/comm/gloo/payload.h"
#include "worker/comm/gloo/shares.h"

namespace muster {
namespace {

// Exchanges `own`, numbers that are as many on every rank: `first`, which rode along with the
// headers, is the beginning of those of each rank, and more exchanges bring the rest.
class CountsExchange {
 public:
  CountsExchange(Mesh* mesh, uint64_t first_slot, const DeadlineSource& deadline)
      : mesh_(mesh), slot_(first_slot), deadline_(deadline) {}

  // Gives false if it could not be completed; outcome() says why then.
  bool Run(const std::string& own, std::vector<std::string> begun) {
    bytes_ = std::move(begun);
    bytes_.resize(static_cast<size_t>(mesh_->size()));
    while (bytes_[Self()].size() < own.size()) {
      const Record piece{.call = {}, .payload = own.substr(bytes_[Self()].size(), kInlineBytesMax)};
      Exchanged exchanged = ExchangeRecords(mesh_, slot_, piece, deadline_);
      outcome_ = std::move(exchanged.outcome);
      if (outcome_.ended != Ended::kDone) return false;
      slot_ += kExchangeSlots;
      for (size_t rank = 0; rank < bytes_.size(); ++rank) {
        bytes_[rank] += exchanged.records[rank].payload;
      }
    }
    const auto fits = [&own](const std::string& bytes) { return bytes.size() == own.size(); };
    if (std::all_of(bytes_.begin(), bytes_.end(), fits)) return true;
    outcome_ = {.ended = Ended::kReset, .findings = BreakAfter(mesh_, Ended::kReset)};
    return false;
  }

  const Outcome& outcome() const { return outcome_; }

  // Of each rank, `count` numbers from the one at `first` on.
  CountsByRank Take(size_t first, size_t count) const {
    CountsByRank counts;
    for (const std::string& bytes : bytes_) {
      const std::vector<int64_t> all = UnpackCounts(bytes);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      counts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return counts;
  }

 private:
  size_t Self() const { return static_cast<size_t>(mesh_->self().value); }

  Mesh* const mesh_;
  uint64_t slot_;
  const DeadlineSource& deadline_;
  Outcome outcome_;
  std::vector<std::string> bytes_;
};

// What this rank sends to each, then what it wants from each.
std::string PairCounts(const OperationCall& call) {
  return PackCounts(call.counts) + PackCounts(call.recv_counts);
}

Record OwnRecord(const OperationCall& call, const Call& header, const absl::Status& refusal,
                 GroupRank self, int32_t size) {
  Record own{.call = header, .payload = {}};
  if (!refusal.ok()) {
    own = RefusalOf(header, refusal);
  } else if (call.operation == Operation::kAllToAllV) {
    const std::string counts = PairCounts(call);
    own.payload = counts.substr(0, kInlineBytesMax);
    const int64_t bytes = BytesOf(call.input);
    if (static_cast<int64_t>(counts.size()) + bytes <= static_cast<int64_t>(kInlineBytesMax)) {
      own.payload.append(reinterpret_cast<const char*>(call.input.data),
                         static_cast<size_t>(bytes));
    }
  } else {
    own.payload = PayloadOf(call, self, size);
  }
  return own;
}

// Tells whether ranks made the same call but for the numbers of elements of each rank.
bool OnlyCountsDiffer(const std::vector<Record>& records) {
  Call first = records[0].call;
  if (!SharesDiffer(first.operation)) return false;
  return std::all_of(records.begin(), records.end(), [&first](const Record& record) {
    Call call = record.call;
    call.count = first.count;
    call.counts_hash = first.counts_hash;
    return call.refusal == Refusal::kNone && call == first;
  });
}

// Takes the first `bytes` of each payload, or what there is, off it.
std::vector<std::string> CutCounts(size_t bytes, std::vector<Record>* records) {
  std::vector<std::string> counts;
  for (Record& record : *records) {
    counts.push_back(record.payload.substr(0, bytes));
    record.payload.erase(0, bytes);
  }
  return counts;
}

// Tells whether all that ranks give in an all_to_allv rode along with `records`.
bool AllRode(const std::vector<Record>& records, const CountsByRank& sends, DType dtype) {
  for (size_t rank = 0; rank < records.size(); ++rank) {
    const Shares shares(sends[rank], dtype);
    if (records[rank].payload.size() != shares.TotalBytes()) return false;
  }
  return true;
}

}  // namespace

Agreement Agree(Mesh* mesh, const GroupFacts& facts, std::string_view what, uint64_t first_slot,
                const OperationCall& call, const Call& header, const absl::Status& refusal,
                const DeadlineSource& deadline) {
  Agreement agreement;
  Exchanged exchanged = ExchangeRecords(
      mesh, first_slot, OwnRecord(call, header, refusal, facts.rank, facts.size()), deadline);
  agreement.outcome = std::move(exchanged.outcome);
  if (agreement.outcome.ended != Ended::kDone) return agreement;
  agreement.records = std::move(exchanged.records);

  std::map<GroupRank, Record> records;
  for (size_t rank = 0; rank < agreement.records.size(); ++rank) {
    records.emplace(GroupRank(static_cast<int32_t>(rank)), agreement.records[rank]);
  }
  agreement.status = CompareCalls(facts, what, records);
  agreement.rode = agreement.status.ok() && RidesInline(call, facts.size());
  CountsExchange counts(mesh, first_slot + kExchangeSlots, deadline);
  const auto size = static_cast<size_t>(facts.size());
  if (!agreement.status.ok() && OnlyCountsDiffer(agreement.records)) {
    if (counts.Run(PackCounts(call.counts), {})) {
      agreement.status = CompareShares(facts, what, counts.Take(0, size));
    }
    agreement.outcome = counts.outcome();
  } else if (agreement.status.ok() && call.operation == Operation::kAllToAllV) {
    const std::string own = PairCounts(call);
    if (counts.Run(own, CutCounts(own.size(), &agreement.records))) {
      agreement.sends = counts.Take(0, size);
      agreement.status = ComparePairs(facts, what, agreement.sends, counts.Take(size, size));
      agreement.rode =
          agreement.status.ok() && AllRode(agreement.records, agreement.sends, call.input.dtype);
    }
    agreement.outcome = counts.outcome();
  }
  return agreement;
}

}  // namespace muster
