#include "coordinator/runtime/event_loop.h"

#include <optional>
#include <utility>

#include "common/base/check.h"

namespace muster::coordinator {

EventLoop::EventLoop(std::unique_ptr<Core> core, EffectRunner* runner, Clock* clock,
                     const Options& options)
    : core_(std::move(core)),
      runner_(runner),
      clock_(clock),
      options_(options),
      mailbox_(std::make_shared<LoopMailbox>("coordinator", options.mailbox_max)),
      answer_([mailbox = mailbox_](Journaled answered) {
        mailbox->PostCoalesced(*LaneKeyOf(answered), Event(answered));
      }),
      last_turn_ns_(absl::ToInt64Nanoseconds(clock->Now().since_start)),
      thread_([this] { Run(); }) {}

EventLoop::~EventLoop() { Stop(); }

absl::Status EventLoop::Post(Event event) {
  MUSTER_CHECK(!std::holds_alternative<Journaled>(event) && !std::holds_alternative<Tick>(event),
               "answers of the journal and ticks are not for others to post");
  std::optional<LaneKey> key = LaneKeyOf(event);
  if (!key.has_value()) return mailbox_->Post(std::move(event));
  mailbox_->PostCoalesced(*std::move(key), std::move(event));
  return absl::OkStatus();
}

absl::Status EventLoop::Read(Query query) { return mailbox_->Post(std::move(query)); }

absl::Duration EventLoop::SinceLastTurn() const {
  return clock_->Now().since_start - absl::Nanoseconds(last_turn_ns_.load());
}

void EventLoop::Stop() {
  MUSTER_CHECK(std::this_thread::get_id() != thread_.get_id(), "a loop cannot wait for itself");
  mailbox_->Close();
  if (!thread_.joinable()) return;
  thread_.join();
  clock_->Cancel(tick_);
}

void EventLoop::Run() {
  const MonotonicTime now = ReadClock();
  CarryOut(core_->Start(now));
  ArmTick(now);
  std::vector<Entry> entries;
  while (mailbox_->Drain(&entries, absl::InfiniteDuration()) != Drained::kClosed) Turn(&entries);
}

void EventLoop::Turn(std::vector<Entry>* entries) {
  bool tick_due = false;
  for (Entry& entry : *entries) {
    const MonotonicTime now = ReadClock();
    if (auto* query = std::get_if<Query>(&entry)) {
      std::exchange(*query, nullptr)(core_->state());
    } else if (const Event& event = std::get<Event>(entry); std::holds_alternative<Tick>(event)) {
      tick_due = true;
    } else {
      Step(event, now);
    }
  }
  if (!tick_due) return;
  const MonotonicTime now = ReadClock();
  Step(Tick(), now);
  ArmTick(now);
}

void EventLoop::Step(const Event& event, MonotonicTime now) {
  if (halted_) return;
  CarryOut(core_->Step(event, now));
}

void EventLoop::CarryOut(std::vector<Effect> effects) {
  if (runner_->Run(std::move(effects), answer_) == RunResult::kCarriedOut) return;
  halted_ = true;
  mailbox_->Close();
}

void EventLoop::ArmTick(MonotonicTime now) {
  tick_ = clock_->RunAt(now + options_.tick_interval, [mailbox = mailbox_] {
    mailbox->PostCoalesced(*LaneKeyOf(Tick()), Event(Tick()));
  });
}

MonotonicTime EventLoop::ReadClock() {
  const MonotonicTime now = clock_->Now();
  last_turn_ns_.store(absl::ToInt64Nanoseconds(now.since_start));
  return now;
}

}  // namespace muster::coordinator
