#include "tests/simulation/process.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

worker::AgentOptions OptionsOf(const WorkerPlan& plan, Incarnation incarnation) {
  worker::AgentOptions options;
  options.job = plan.job;
  options.worker = plan.id;
  options.incarnation = incarnation;
  options.host = plan.host;
  options.device = plan.device;
  options.wanted_rank = plan.wanted_rank;
  options.join_deadline = plan.join_deadline;
  options.seed = incarnation.value;
  return options;
}

ProcessClock DrawClock(const Plan& plan, Random& random) {
  const int64_t spread = plan.clock_spread_permille;
  return ProcessClock(random.Between(0, 1000000000), 1000 + random.Between(-spread, spread));
}

}  // namespace

Process::Process(World& world, ProcessId id, WorkerPlan plan, Incarnation incarnation)
    : world_(world),
      id_(id),
      plan_(std::move(plan)),
      incarnation_(incarnation),
      random_(incarnation.value),
      clock_(DrawClock(world.plan, random_)),
      started_at_(world.queue.now()),
      agent_(OptionsOf(plan_, incarnation), clock_.At(world.queue.now())),
      shell_(world, id),
      user_(world, id),
      check_(world, id) {}

void Process::Start() {
  if (world_.trace.on()) {
    world_.trace.Say(world_.queue.now(), absl::StrCat(world_.processes.NameOf(id_), " starts on ",
                                                      plan_.host.hostname));
  }
  CarryOut(agent_.Start(clock_.At(world_.queue.now())));
  ScheduleTick();
}

void Process::Run(std::function<void()> action) {
  if (!alive_) return;
  if (stopped_) {
    inbox_.push_back(std::move(action));
  } else {
    action();
  }
}

void Process::Feed(const worker::Event& event) {
  if (!alive_) return;
  if (stopped_) {
    inbox_.push_back([this, event] { Step(event); });
  } else {
    Step(event);
  }
}

void Process::Stop(Micros length) {
  if (!alive_) return;
  stopped_ = true;
  stopped_until_ = std::max(stopped_until_, world_.queue.now() + length);
  world_.queue.At(stopped_until_, [this] {
    if (stopped_ && world_.queue.now() >= stopped_until_) Resume();
  });
}

void Process::Resume() {
  if (!alive_ || !stopped_) return;
  stopped_ = false;
  resumed_at_ = world_.queue.now();
  for (const auto& action : std::exchange(inbox_, {})) {
    if (!alive_) return;
    action();
  }
  if (alive_) Step(worker::Tick{});
}

void Process::Leave() { Feed(worker::LeaveRequested{}); }

void Process::ScheduleTick() {
  const Micros interval = ToMicros(world_.plan.shell.tick);
  const auto jitter = static_cast<int64_t>(world_.plan.tick_jitter_percent);
  world_.queue.After(interval + random_.Between(0, interval * jitter / 100), [this] {
    if (!alive_) return;
    if (!stopped_) Step(worker::Tick{});
    ScheduleTick();
  });
}

void Process::Step(const worker::Event& event) {
  if (!alive_ || world_.verdict.broken()) return;
  check_.BeforeStep(event);
  std::vector<worker::Effect> effects = agent_.Step(event, clock_.At(world_.queue.now()));
  Record(event, effects);
  check_.AfterStep(event, effects);
  CarryOut(std::move(effects));
}

void Process::Record(const worker::Event& event, const std::vector<worker::Effect>& effects) {
  const Micros now = world_.queue.now();
  const auto self = static_cast<uint64_t>(id_);
  const bool quiet = std::holds_alternative<worker::Tick>(event) && effects.empty();
  if (quiet) return;
  world_.trace.Record(now, Mark::kAgentEvent, {self, event.index(), Digest(event)});
  for (const worker::Effect& effect : effects) {
    world_.trace.Record(now, Mark::kAgentEffect, {self, effect.index(), Digest(effect)});
  }
  if (!world_.trace.on()) return;
  const std::string name = world_.processes.NameOf(id_);
  world_.trace.Say(now, absl::StrCat(name, " <- ", Describe(event)));
  for (const worker::Effect& effect : effects) {
    world_.trace.Say(now, absl::StrCat("     ", name, ": ", Describe(effect)));
  }
}

void Process::CarryOut(std::vector<worker::Effect> effects) {
  for (const worker::Effect& effect : effects) {
    if (!alive_) return;
    std::visit([this](const auto& e) { Carry(e); }, effect);
  }
}

void Process::Carry(const worker::OpenStream& effect) { world_.network.Dial(id_, effect.hello); }

void Process::Carry(const worker::CloseStream& effect) {
  if (effect.leaving) world_.network.SendLeave(id_);
  world_.network.CloseFromWorker(id_, effect.session);
}

void Process::Carry(const worker::SendReport& effect) {
  world_.network.SendReport(id_, effect.session, effect.report);
}

void Process::Carry(const worker::OpenEndpoints& effect) {
  shell_.Open(effect, agent_.state().assignment->job);
}

void Process::Carry(const worker::AbortEpoch& effect) {
  user_.OnEpochOver(effect.epoch, effect.status);
  shell_.Abort(effect);
}

void Process::Carry(const worker::ActivateEpoch& effect) {
  const EpochResources* resources = shell_.Find(effect.epoch);
  world_.checks.epochs.OnActivated(id_, effect, resources);
  if (resources != nullptr) user_.OnActivate(effect.epoch, *resources);
}

void Process::Carry(const worker::ProbeProcess& effect) {
  const Incarnation probed = effect.probe.incarnation;
  world_.processes.CheckProbe(effect.probe);
  world_.queue.After(random_.Between(10, 1000), [this, probed] {
    if (!world_.processes.IsAlive(probed)) Feed(worker::ProcessGone{probed});
  });
}

void Process::Carry(const worker::Finish& effect) {
  finish_ = effect;
  user_.OnFinish();
  world_.processes.OnFinish(*this);
}

}  // namespace muster::sim
