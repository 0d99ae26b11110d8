#include "worker/comm/gloo/transfers.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace muster {

Transfers::~Transfers() {
  const auto is_done = [](const Message& message) { return message.done; };
  if (!std::all_of(messages_.begin(), messages_.end(), is_done)) mesh_->Close();
}

void Transfers::Send(GroupRank to, uint64_t slot, const void* data, size_t bytes) {
  if (bytes == 0) return;
  // gloo takes one kind of pointer for both directions; it only reads what it sends.
  auto buffer = mesh_->MakeBuffer(const_cast<void*>(data), bytes);
  lost_ |= !mesh_->SendTo(to, slot, buffer.get());
  messages_.push_back({to, Direction::kSend, std::move(buffer)});
}

void Transfers::Recv(GroupRank from, uint64_t slot, void* data, size_t bytes) {
  if (bytes == 0) return;
  auto buffer = mesh_->MakeBuffer(data, bytes);
  lost_ |= !mesh_->RecvFrom(from, slot, buffer.get());
  messages_.push_back({from, Direction::kRecv, std::move(buffer)});
}

Ended Transfers::Await(Message* message) {
  if (message->done) return Ended::kDone;
  if (lost_) return Ended::kReset;
  WaitSet& waits = mesh_->waits();
  const Ended ended = message->direction == Direction::kRecv
                          ? waits.WaitRecv(message->buffer.get(), *deadline_)
                          : waits.WaitSend(message->buffer.get(), *deadline_);
  message->done = ended == Ended::kDone;
  return ended;
}

Ended Transfers::Finish() {
  for (Message& message : messages_) {
    const Ended ended = Await(&message);
    if (ended != Ended::kDone) return ended;
  }
  return Ended::kDone;
}

Ended Transfers::FinishFrom(GroupRank from) {
  for (Message& message : messages_) {
    if (message.peer != from || message.direction != Direction::kRecv) continue;
    const Ended ended = Await(&message);
    if (ended != Ended::kDone) return ended;
  }
  return Ended::kDone;
}

bool Transfers::IsDone(const Message& message) {
  constexpr std::chrono::milliseconds kAtOnce(0);
  if (message.done) return true;
  try {
    // The first of two calls may only say that the buffer was woken before.
    return message.direction == Direction::kRecv ? message.buffer->waitRecv(nullptr, kAtOnce) ||
                                                       message.buffer->waitRecv(nullptr, kAtOnce)
                                                 : message.buffer->waitSend(nullptr, kAtOnce) ||
                                                       message.buffer->waitSend(nullptr, kAtOnce);
  } catch (const std::exception&) {
    return false;
  }
}

std::set<GroupRank> Transfers::Unfinished() {
  for (const Direction direction : {Direction::kRecv, Direction::kSend}) {
    std::set<GroupRank> peers;
    for (Message& message : messages_) {
      if (message.direction != direction) continue;
      message.done = IsDone(message);
      if (!message.done) peers.insert(message.peer);
    }
    if (!peers.empty()) return peers;
  }
  return {};
}

}  // namespace muster
