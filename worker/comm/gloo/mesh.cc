#include "worker/comm/gloo/mesh.h"

#include <chrono>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gloo/common/error.h"
#include "gloo/transport/pair.h"
#include "gloo/transport/tcp/address.h"
#include "worker/comm/gloo/sigpipe.h"

namespace muster {
namespace {

constexpr uint64_t kFarewellSlot = 1;
constexpr uint64_t kTripwireSlot = 2;
constexpr std::chrono::milliseconds kAtOnce{0};

// How often a flush looks whether what was sent has arrived.
constexpr absl::Duration kFlushInterval = absl::Milliseconds(1);

// How long a member that could not connect to all goes on, so that it can tell the others: when it
// was late, so that they are late too, and when it lost a peer and they may not have come that far.
constexpr absl::Duration kLateGrace = absl::Milliseconds(50);
constexpr absl::Duration kLostGrace = absl::Milliseconds(200);

std::vector<GroupRank> Others(GroupRank self, int32_t size) {
  std::vector<GroupRank> others;
  for (int32_t rank = 0; rank < size; ++rank) {
    if (rank != self.value) others.emplace_back(rank);
  }
  return others;
}

// What gloo says, without the place in its source.
std::string ReasonOf(const std::exception& error) {
  std::string text = error.what();
  const size_t end = text.find("] ");
  if (!text.empty() && text.front() == '[' && end != std::string::npos) text.erase(0, end + 2);
  return text;
}

// Of this end of the connection, if there is one; else where it listens.
uint16_t LocalPort(const gloo::transport::Pair& pair) {
  const gloo::transport::tcp::Address address(pair.address().bytes());
  return SocketAddress::FromStorage(address.getSockaddr()).port();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Mesh>> Mesh::Open(const Host& host, GroupRank self, int32_t size) {
  const ScopedSigpipeBlock block;
  std::shared_ptr<gloo::transport::Context> context;
  try {
    context = host.device->transport()->createContext(self.value, size);
    // No limit: everything that waits in gloo is ended from outside.
    context->setTimeout(gloo::kNoTimeout);
    for (const GroupRank other : Others(self, size)) context->createPair(other.value);
  } catch (const std::exception& error) {
    const Device::Hurry hurry(host.device);
    context.reset();
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot listen for ", size - 1, " peers: ", ReasonOf(error)));
  }
  return std::unique_ptr<Mesh>(new Mesh(host, self, size, std::move(context)));
}

Mesh::Mesh(const Host& host, GroupRank self, int32_t size,
           std::shared_ptr<gloo::transport::Context> context)
    : host_(host),
      self_(self),
      size_(size),
      others_(Others(self, size)),
      context_(std::move(context)),
      waits_(host.clock),
      farewells_(host.clock) {
  for (const GroupRank other : others_) {
    const gloo::transport::tcp::Address address(context_->getPair(other.value)->address().bytes());
    listening_.emplace(other, SocketAddress::FromStorage(address.getSockaddr()));
  }
  host_.watcher->Add(this);
}

Mesh::~Mesh() {
  host_.watcher->Remove(this);
  const ScopedSigpipeBlock block;
  SayFarewell({.reason = FarewellReason::kClosed, .suspects = {}});
  const Device::Hurry hurry(host_.device);
  for (const GroupRank other : others_) context_->getPair(other.value).reset();
}

std::string Mesh::EndpointFor(GroupRank to) const { return listening_.at(to).ToString(); }

Mesh::Connected Mesh::Connect(const std::map<GroupRank, SocketAddress>& addresses,
                              const DeadlineSource& deadline) {
  const ScopedSigpipeBlock block;
  Connected connected;
  // Those that this end dials come first: they wait for no thread of the other side.
  for (const bool dials : {true, false}) {
    for (const auto& [peer, address] : addresses) {
      if (listening_.at(peer).Dials(address) != dials) continue;
      connected.ended = ConnectTo(peer, address, deadline);
      if (connected.ended != Ended::kDone) {
        ConnectRest(addresses, peer, &connected);
        return connected;
      }
      connected.peers.insert(peer);
    }
  }
  return connected;
}

void Mesh::ConnectRest(const std::map<GroupRank, SocketAddress>& addresses, GroupRank failed,
                       Connected* connected) {
  {
    MonitorLock lock(&monitor_);
    connect_failed_ = true;
  }
  const bool late = connected->ended == Ended::kExpired;
  if (late) connected->absent.insert(failed);
  const std::set<uint16_t> ports = late ? ListeningPorts() : std::set<uint16_t>();
  const FixedDeadline soon(host_.clock->Now() + (late ? kLateGrace : kLostGrace));
  for (const auto& [peer, address] : addresses) {
    const SocketAddress& own = listening_.at(peer);
    if (peer == failed || connected->peers.count(peer) > 0) continue;
    const bool absent = !own.Dials(address) && ports.count(own.port()) > 0;
    const Ended ended = absent ? Ended::kExpired : ConnectTo(peer, address, soon);
    if (ended == Ended::kDone) connected->peers.insert(peer);
    if (ended == Ended::kExpired) connected->absent.insert(peer);
    if (ended == Ended::kStopped) connected->ended = ended;
  }
}

Ended Mesh::ConnectTo(GroupRank peer, const SocketAddress& address,
                      const DeadlineSource& deadline) {
  {
    MonitorLock lock(&monitor_);
    if (closed_) return Ended::kStopped;
    if (deadline.EarliestDeadline() <= host_.clock->Now()) return Ended::kExpired;
    connecting_ = peer;
    connect_ended_ = Ended::kDone;
    connect_deadline_ = &deadline;
  }
  std::string failure;
  try {
    const Device::Hurry hurry(host_.device);
    context_->getPair(peer.value)
        ->connect(gloo::transport::tcp::Address(address.storage()).bytes());
  } catch (const std::exception& error) {
    failure = ReasonOf(error);
  }
  // A connection that was closed meanwhile looks like one that stands.
  MonitorLock lock(&monitor_);
  connecting_.reset();
  connect_deadline_ = nullptr;
  if (closed_) return Ended::kStopped;
  if (connect_ended_ != Ended::kDone) return connect_ended_;
  if (!failure.empty()) {
    // After a failure of its own, this end cannot tell those who are lost from those who gave up
    // too.
    if (!connect_failed_) lines_[peer] = {.lost = true, .reason = failure};
    return Ended::kReset;
  }
  OpenLineLocked(peer);
  return Ended::kDone;
}

void Mesh::OpenLineLocked(GroupRank peer) {
  Line& line = lines_[peer];
  line.inbox = MakeBuffer(line.farewell_in.data(), line.farewell_in.size());
  line.outbox = MakeBuffer(line.farewell_out.data(), line.farewell_out.size());
  line.tripwire = MakeBuffer(line.never.data(), line.never.size());
  if (!RecvFrom(peer, kFarewellSlot, line.inbox.get()) ||
      !RecvFrom(peer, kTripwireSlot, line.tripwire.get())) {
    line.lost = true;
    line.reason = "closed while connecting";
  }
}

void Mesh::SetLostPeerCallback(std::function<void(GroupRank)> callback) {
  MonitorLock lock(&monitor_);
  on_lost_peer_ = std::move(callback);
}

Mesh::Buffer Mesh::MakeBuffer(void* data, size_t bytes) {
  return context_->createUnboundBuffer(data, bytes);
}

bool Mesh::SendTo(GroupRank to, uint64_t slot, gloo::transport::UnboundBuffer* buffer) {
  try {
    buffer->send(to.value, slot);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool Mesh::RecvFrom(GroupRank from, uint64_t slot, gloo::transport::UnboundBuffer* buffer) {
  try {
    buffer->recv(from.value, slot);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::set<GroupRank> Mesh::Findings::Suspects() const {
  std::set<GroupRank> suspects;
  for (const auto& [rank, reason] : lost) suspects.insert(rank);
  for (const auto& [rank, farewell] : farewells) {
    suspects.insert(farewell.suspects.begin(), farewell.suspects.end());
  }
  for (const auto& [rank, farewell] : farewells) suspects.erase(rank);
  return suspects;
}

void Mesh::ReadFarewell(Line* line) {
  if (line->farewell.has_value() || line->inbox == nullptr) return;
  try {
    if (line->inbox->waitRecv(nullptr, kAtOnce)) line->farewell = DecodeFarewell(line->farewell_in);
  } catch (const std::exception&) {
    line->farewell.reset();  // None came.
  }
}

bool Mesh::FindLostLocked() {
  bool harmful = false;
  for (auto& [rank, line] : lines_) {
    if (line.hearing) continue;
    if (!line.lost) {
      try {
        // Woken before it begins, this gives false at once, or throws what ended the connection.
        line.tripwire->abortWaitRecv();
        line.tripwire->waitRecv(nullptr, kAtOnce);
      } catch (const std::exception& error) {
        line.lost = true;
        line.reason = ReasonOf(error);
      }
      if (!line.lost) continue;
      ReadFarewell(&line);
      if (!line.farewell.has_value()) unreported_.push_back(rank);
    }
    // Who is done with the group has sent all that it owes.
    harmful |= !line.farewell.has_value() || line.farewell->reason != FarewellReason::kClosed;
  }
  return harmful;
}

Mesh::Findings Mesh::FindingsLocked() const {
  Findings findings;
  for (const auto& [rank, line] : lines_) {
    if (line.farewell.has_value()) {
      findings.farewells.emplace(rank, *line.farewell);
      findings.farewells[rank].suspects.erase(self_);
    } else if (line.lost) {
      findings.lost.emplace(rank, line.reason);
    }
  }
  return findings;
}

bool Mesh::SayFarewell(const Farewell& farewell) {
  MonitorLock lock(&monitor_);
  if (said_farewell_ || closed_) return false;
  said_farewell_ = true;
  for (auto& [rank, line] : lines_) {
    line.farewell_out = Encode(farewell);
    if (!line.lost) SendTo(rank, kFarewellSlot, line.outbox.get());
  }
  return true;
}

std::map<GroupRank, Mesh::Line*> Mesh::OpenLinesLocked() {
  std::map<GroupRank, Line*> open;
  for (auto& [rank, line] : lines_) {
    if (!line.lost) open.emplace(rank, &line);
  }
  return open;
}

void Mesh::FlushFarewells(const std::set<GroupRank>& gone) {
  const FixedDeadline deadline(host_.clock->Now() + kFlushPatience);
  std::map<GroupRank, Line*> open;
  {
    MonitorLock lock(&monitor_);
    open = OpenLinesLocked();
  }
  std::set<uint16_t> ports;
  for (const auto& [rank, line] : open) {
    if (gone.count(rank) > 0) continue;
    const Ended ended = farewells_.WaitSend(line->outbox.get(), deadline);
    if (ended == Ended::kStopped) return;
    if (ended == Ended::kDone) ports.insert(LocalPort(*context_->getPair(rank.value)));
  }
  MonitorLock lock(&monitor_);
  while (!closed_ && UntakenBytes(ports) > 0 && host_.clock->Now() < deadline.EarliestDeadline()) {
    monitor_.WaitUntil(host_.clock->Now() + kFlushInterval);
  }
}

void Mesh::HearFarewells(const DeadlineSource& deadline) {
  std::map<GroupRank, Line*> open;
  {
    MonitorLock lock(&monitor_);
    open = OpenLinesLocked();
    for (const auto& [rank, line] : open) line->hearing = true;
  }
  Ended ended = Ended::kDone;
  for (const auto& [rank, line] : open) {
    if (ended != Ended::kExpired && ended != Ended::kStopped) {
      ended = farewells_.WaitRecv(line->inbox.get(), deadline);
    }
    MonitorLock lock(&monitor_);
    if (ended == Ended::kDone) line->farewell = DecodeFarewell(line->farewell_in);
    line->hearing = false;
  }
}

Mesh::Findings Mesh::Break(FarewellReason reason, absl::Duration patience) {
  const ScopedSigpipeBlock block;
  waits_.Stop();
  Findings findings;
  {
    MonitorLock lock(&monitor_);
    FindLostLocked();
    findings = FindingsLocked();
  }
  if (SayFarewell({.reason = reason, .suspects = findings.Suspects()})) FlushFarewells({});
  const FixedDeadline deadline(host_.clock->Now() + patience);
  const bool nothing_found = findings.lost.empty() && findings.farewells.empty();
  if (reason == FarewellReason::kTimeout || (reason == FarewellReason::kLost && nothing_found)) {
    HearFarewells(deadline);
  }
  {
    MonitorLock lock(&monitor_);
    FindLostLocked();
  }
  Close();
  MonitorLock lock(&monitor_);
  for (auto& [rank, line] : lines_) ReadFarewell(&line);
  return FindingsLocked();
}

void Mesh::Abort(const std::set<GroupRank>& gone) {
  const ScopedSigpipeBlock block;
  waits_.Stop();
  if (SayFarewell({.reason = FarewellReason::kAborted, .suspects = {}})) FlushFarewells(gone);
  Close();
}

void Mesh::Close() {
  const ScopedSigpipeBlock block;
  waits_.Stop();
  farewells_.Stop();
  SayFarewell({.reason = FarewellReason::kAborted, .suspects = {}});
  bool was_closed = true;
  {
    MonitorLock lock(&monitor_);
    std::swap(was_closed, closed_);
  }
  if (was_closed) return AwaitClosed();
  {
    const Device::Hurry hurry(host_.device);
    for (const GroupRank other : others_) context_->getPair(other.value)->close();
  }
  MonitorLock lock(&monitor_);
  all_closed_ = true;
  monitor_.NotifyAll();
}

void Mesh::AwaitClosed() const {
  MonitorLock lock(&monitor_);
  while (!all_closed_) monitor_.Wait();
}

void Mesh::Look(MonotonicTime now) {
  waits_.Expire(now);
  farewells_.Expire(now);
  bool harmful = false;
  std::optional<GroupRank> given_up;
  std::vector<GroupRank> report;
  std::function<void(GroupRank)> on_lost_peer;
  {
    MonitorLock lock(&monitor_);
    if (!closed_) harmful = FindLostLocked();
    // What is queued behind other bytes is not woken by gloo.
    for (const auto& [rank, line] : lines_) {
      if (line.lost && line.outbox != nullptr) farewells_.Reset(line.outbox.get());
    }
    if (connecting_.has_value() && connect_ended_ == Ended::kDone) {
      const bool late = connect_deadline_->EarliestDeadline() <= now;
      if (late || (harmful && !connect_failed_)) {
        given_up = connecting_;
        connect_ended_ = late ? Ended::kExpired : Ended::kReset;
      }
    }
    on_lost_peer = on_lost_peer_;
    if (on_lost_peer) report.swap(unreported_);
  }
  if (harmful) waits_.Reset();
  if (given_up.has_value()) {
    const Device::Hurry hurry(host_.device);
    context_->getPair(given_up->value)->close();
  }
  for (const GroupRank rank : report) on_lost_peer(rank);
}

}  // namespace muster
