#include "worker/ops/transfer.h"

#include <utility>

#include "common/base/status_macros.h"

namespace muster {
namespace {

// A number for what ranks must have in common, the same on every machine; 0 if that is nothing.
uint64_t HashOf(const std::vector<int64_t>& common) {
  if (common.empty()) return 0;
  uint64_t hash = 0xcbf29ce484222325;
  for (const int64_t number : common) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ ((static_cast<uint64_t>(number) >> shift) & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
}

// The buffers of one transfer.
class Staging {
 public:
  explicit Staging(ScratchPool* scratch) : scratch_(scratch) {}

  // Fills in the buffers of `transfer` and packs what it gives. kResourceExhausted without memory.
  absl::Status Fill(Transfer* transfer) {
    const bool is_broadcast = transfer->call.operation == Operation::kBroadcast;
    if (is_broadcast && !transfer->send.empty()) {
      MUSTER_RETURN_IF_ERROR(FillForRootOfBroadcast(*transfer));
    } else {
      if (!transfer->recv.empty()) MUSTER_RETURN_IF_ERROR(PlaceOutput(*transfer));
      if (!transfer->send.empty()) MUSTER_RETURN_IF_ERROR(PlaceInput(*transfer));
    }
    transfer->call.input = is_broadcast ? output_ : input_;
    transfer->call.output = output_;
    transfer->call.common_hash = HashOf(transfer->common);
    return absl::OkStatus();
  }

  // Moves what is to be unpacked, and the memory of what is on its way, to `parts`.
  void MoveTo(TensorWork::Parts* parts, Transfer transfer) {
    parts->held.insert(parts->held.end(), transfer.send.begin(), transfer.send.end());
    parts->held.insert(parts->held.end(), transfer.recv.begin(), transfer.recv.end());
    parts->results.insert(parts->results.end(), transfer.results.begin(), transfer.results.end());
    if (packed_input_ != nullptr) parts->unpacks.push_back({packed_input_, {}});
    if (packed_output_ != nullptr) {
      parts->unpacks.push_back({packed_output_, std::move(transfer.recv)});
    }
  }

 private:
  // The one buffer is the input, which the root only gives; its result is a copy, made at the end.
  absl::Status FillForRootOfBroadcast(const Transfer& transfer) {
    MUSTER_RETURN_IF_ERROR(PlaceInput(transfer));
    output_ = {input_.data, input_.count, input_.dtype};
    if (!transfer.recv.empty()) packed_output_ = {packed_input_, input_.data};
    return absl::OkStatus();
  }

  absl::Status PlaceOutput(const Transfer& transfer) {
    const int64_t count = CountElements(transfer.recv);
    output_ = {ContiguousData(transfer.recv), count, transfer.recv.front().dtype()};
    if (count == 0 || output_.data != nullptr) return absl::OkStatus();
    MUSTER_ASSIGN_OR_RETURN(packed_output_, scratch_->Take(BytesOf(output_)));
    output_.data = packed_output_.get();
    return absl::OkStatus();
  }

  absl::Status PlaceInput(const Transfer& transfer) {
    input_ = {ContiguousData(transfer.send), CountElements(transfer.send),
              transfer.send.front().dtype()};
    if (input_.count == 0 || input_.data != nullptr) return absl::OkStatus();
    // Where a result of the caller's is, nothing is written before all ranks agree.
    const bool is_hidden = transfer.new_results || packed_output_ != nullptr;
    if (transfer.input_slot.has_value() && output_.data != nullptr && is_hidden) {
      const auto bytes = static_cast<int64_t>(SizeOf(input_.dtype));
      input_.data = output_.data + *transfer.input_slot * bytes;
    } else {
      MUSTER_ASSIGN_OR_RETURN(packed_input_, scratch_->Take(BytesOf(input_)));
      input_.data = packed_input_.get();
    }
    Pack(transfer.send, input_.data);
    return absl::OkStatus();
  }

  ScratchPool* const scratch_;
  Buffer input_;
  Buffer output_;
  std::shared_ptr<std::byte> packed_input_;
  std::shared_ptr<std::byte> packed_output_;  // To be unpacked at the end.
};

}  // namespace

TensorWork StartTogether(GroupOperations* group, ScratchPool* scratch,
                         std::vector<PlannedCall> planned, absl::Duration timeout) {
  absl::Status refusal;
  std::vector<Staging> stagings;
  for (PlannedCall& part : planned) refusal.Update(part.transfer.status());
  if (refusal.ok()) {
    for (PlannedCall& part : planned) {
      stagings.emplace_back(scratch);
      refusal.Update(stagings.back().Fill(&*part.transfer));
    }
  }
  TensorWork::Parts parts;
  for (size_t i = 0; i < planned.size(); ++i) {
    if (!refusal.ok()) {
      planned[i].call.refusal = refusal;
      parts.works.push_back(group->Start(std::move(planned[i].call), timeout));
      continue;
    }
    Transfer& transfer = *planned[i].transfer;
    parts.works.push_back(group->Start(std::move(transfer.call), timeout));
    stagings[i].MoveTo(&parts, std::move(transfer));
  }
  return TensorWork(std::move(parts));
}

TensorWork StartTransfer(GroupOperations* group, ScratchPool* scratch, OperationCall call,
                         absl::StatusOr<Transfer> transfer, absl::Duration timeout) {
  std::vector<PlannedCall> planned;
  planned.push_back({std::move(call), std::move(transfer)});
  return StartTogether(group, scratch, std::move(planned), timeout);
}

}  // namespace muster
