#include "tests/golden/stage.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/layout/parse_mesh.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/fault_kinds.h"

namespace muster::golden {
namespace {

using coordinator::JournalResult;

constexpr absl::Duration kTick = absl::Milliseconds(50);

int64_t Number(const Verb& verb, const std::string& option, const std::string& otherwise = "") {
  int64_t number = 0;
  MUSTER_CHECK(absl::SimpleAtoi(verb.Get(option, otherwise), &number),
               verb.name + " wants a number for " + option);
  return number;
}

absl::Duration Span(const std::string& text) {
  absl::Duration span;
  MUSTER_CHECK(absl::ParseDuration(text, &span), "not a duration: " + text);
  return span;
}

}  // namespace

Stage::Stage() { journal_.store = StoreId(7); }

std::string Stage::Play(const Verb& verb) {
  static const std::map<std::string, Handler> kHandlers = {
      {"start", &Stage::Start},          {"restart", &Stage::Restart}, {"wipe", &Stage::Wipe},
      {"journaled", &Stage::Journaled},  {"journal", &Stage::Journal}, {"apply", &Stage::Apply},
      {"delete", &Stage::Delete},        {"hello", &Stage::SayHello},  {"prepared", &Stage::Hold},
      {"built", &Stage::Hold},           {"active", &Stage::Hold},     {"ended", &Stage::Hold},
      {"freeing", &Stage::Hold},         {"failed", &Stage::Fail},     {"freed", &Stage::Free},
      {"report", &Stage::SayAgain},      {"doing", &Stage::Doing},     {"reset", &Stage::EndStream},
      {"cut", &Stage::EndStream},        {"exit", &Stage::EndWorker},  {"leave", &Stage::EndWorker},
      {"peer_reset", &Stage::ResetPeer}, {"tick", &Stage::Tick},       {"freeze", &Stage::Freeze},
      {"status", &Stage::Status}};
  const auto handler = kHandlers.find(verb.name);
  MUSTER_CHECK(handler != kHandlers.end(), "no such verb: " + verb.name);
  return (this->*handler->second)(verb);
}

std::string Stage::Boot() {
  auto machine = coordinator::Machine::Load(journal_, {.seed = 5, .tick_interval = kTick}, now_);
  MUSTER_CHECK(machine.ok(), machine.status().ToString());
  machine_ = *std::move(machine);
  return Carry(machine_->Start(now_));
}

std::string Stage::Start(const Verb&) { return Boot(); }

std::string Stage::Restart(const Verb& verb) {
  for (int64_t kept = Number(verb, "keep", "0"); kept > 0 && !unanswered_.empty(); --kept) {
    journal_.records.push_back(unanswered_.front().record);
    unanswered_.pop_front();
  }
  unanswered_.clear();
  for (auto& [name, actor] : actors_) actor.connection = ConnectionId();
  return Boot();
}

std::string Stage::Wipe(const Verb& verb) {
  journal_ = {};
  journal_.store = StoreId(8);
  return Restart(verb);
}

std::string Stage::Journal(const Verb& verb) {
  answers_at_once_ = verb.words.at(0) == "auto";
  std::string text;
  while (answers_at_once_ && !unanswered_.empty()) text += Answer(JournalResult::kWritten);
  return text;
}

std::string Stage::Journaled(const Verb& verb) {
  const std::string how = verb.words.empty() ? "written" : verb.words[0];
  if (how == "full") return Answer(JournalResult::kFull);
  return Answer(how == "unknown" ? JournalResult::kUnknown : JournalResult::kWritten);
}

std::string Stage::Answer(JournalResult result) {
  MUSTER_CHECK(!unanswered_.empty(), "no write waits for an answer");
  const coordinator::WriteJournal write = unanswered_.front();
  unanswered_.pop_front();
  if (result == JournalResult::kWritten) journal_.records.push_back(write.record);
  return Feed(coordinator::Journaled{write.write, result});
}

std::string Stage::Apply(const Verb& verb) {
  JobSpec spec;
  spec.name = verb.Get("job", "wan");
  const auto mesh = ParseMesh(verb.Get("mesh"));
  MUSTER_CHECK(mesh.ok(), mesh.status().ToString());
  spec.layout.meshes = {*mesh};
  spec.layout.world_size = 1;
  for (const MeshDim& dim : mesh->dims) spec.layout.world_size *= dim.size;
  if (verb.options.contains("world")) {
    spec.layout.world_size = static_cast<int32_t>(Number(verb, "world"));
  }
  spec.spares = static_cast<int32_t>(Number(verb, "spares", "0"));
  spec.recovery = Span(verb.Get("recovery", "30s"));
  if (verb.options.contains("join")) spec.deadline_overrides.join = Span(verb.Get("join"));
  const std::string request = verb.Get("request", absl::StrCat("r", ++requests_));
  return Feed(coordinator::ApplyRequested{coordinator::CallId(++calls_), request, spec});
}

std::string Stage::Delete(const Verb& verb) {
  const std::string request = verb.Get("request", absl::StrCat("r", ++requests_));
  return Feed(
      coordinator::DeleteRequested{coordinator::CallId(++calls_), request, verb.Get("job", "wan")});
}

Stage::Actor& Stage::Get(const std::string& name) {
  const auto it = actors_.find(name);
  MUSTER_CHECK(it != actors_.end(), "nobody is called " + name);
  return it->second;
}

Stage::Actor& Stage::GetOrMake(const std::string& name, const Verb& verb) {
  const auto [it, made] = actors_.try_emplace(name);
  if (!made) return it->second;
  Hello& hello = it->second.hello;
  const std::string host = verb.Get("host", "a");
  hello.job = verb.Get("job", "wan");
  hello.worker = verb.Get("id", name);
  hello.incarnation = Incarnation(++incarnations_);
  hello.host = {
      host, host, "boot-" + host, "pidns-" + host, Number(verb, "pid", absl::StrCat(incarnations_)),
      0};
  if (verb.options.contains("dev")) {
    hello.device.index = static_cast<int32_t>(Number(verb, "dev"));
    hello.device.uuid = absl::StrCat("gpu-", host, "-", hello.device.index);
  }
  if (verb.options.contains("rank")) {
    hello.wanted_rank = GlobalRank(static_cast<int32_t>(Number(verb, "rank")));
  }
  hello.report.incarnation = hello.incarnation;
  return it->second;
}

std::string Stage::SayHello(const Verb& verb) {
  std::string text;
  for (const std::string& name : verb.words) {
    Actor& actor = GetOrMake(name, verb);
    actor.connection = ConnectionId(++connections_);
    ++actor.hello.session.value;
    ++actor.hello.report.number;
    text += Feed(coordinator::HelloReceived{actor.connection, actor.hello});
  }
  return text;
}

// Reports as one that has seen all that it was sent.
std::string Stage::Send(Actor& actor) {
  Report& report = actor.hello.report;
  if (actor.heard.has_value()) {
    report.store = actor.heard->store;
    report.term = actor.heard->term;
    report.revision = actor.heard->revision;
    report.job = actor.heard->job;
    if (actor.heard->ping != 0) report.pong = actor.heard->ping;
  }
  ++report.number;
  return Feed(coordinator::ReportReceived{actor.connection, report});
}

std::string Stage::SayAgain(const Verb& verb) {
  std::string text;
  for (const std::string& name : verb.words) text += Send(Get(name));
  return text;
}

std::string Stage::Hold(const Verb& verb) {
  static const std::map<std::string, HoldingState> kStates = {{"prepared", HoldingState::kPrepared},
                                                              {"built", HoldingState::kBuilt},
                                                              {"active", HoldingState::kActive},
                                                              {"ended", HoldingState::kEnded},
                                                              {"freeing", HoldingState::kFreeing}};
  std::string text;
  for (const std::string& name : verb.words) {
    Actor& actor = Get(name);
    Holding holding;
    holding.epoch = Epoch(Number(verb, "epoch"));
    holding.state = kStates.at(verb.name);
    std::vector<Holding>& holdings = actor.hello.report.holdings;
    std::erase_if(holdings, [&](const Holding& old) { return old.epoch == holding.epoch; });
    holdings.push_back(holding);
    text += Send(actor);
  }
  return text;
}

std::string Stage::Fail(const Verb& verb) {
  Actor& actor = Get(verb.words.at(0));
  Holding holding;
  holding.epoch = Epoch(Number(verb, "epoch"));
  holding.state = HoldingState::kFailed;
  holding.failure = BuildFailure{verb.Get("group"), std::nullopt, verb.Get("reason")};
  if (verb.options.contains("peer")) {
    holding.failure->peer = GlobalRank(static_cast<int32_t>(Number(verb, "peer")));
  }
  std::vector<Holding>& holdings = actor.hello.report.holdings;
  std::erase_if(holdings, [&](const Holding& old) { return old.epoch == holding.epoch; });
  holdings.push_back(holding);
  return Send(actor);
}

std::string Stage::Free(const Verb& verb) {
  std::string text;
  for (const std::string& name : verb.words) {
    Actor& actor = Get(name);
    std::erase_if(actor.hello.report.holdings, [&](const Holding& holding) {
      return !verb.options.contains("epoch") || holding.epoch == Epoch(Number(verb, "epoch"));
    });
    text += Send(actor);
  }
  return text;
}

std::string Stage::Doing(const Verb& verb) {
  Actor& actor = Get(verb.words.at(0));
  actor.hello.report.doing = verb.Get("what");
  return Send(actor);
}

std::string Stage::EndStream(const Verb& verb) {
  std::string text;
  for (const std::string& name : verb.words) {
    const ConnectionId ended = std::exchange(Get(name).connection, ConnectionId());
    if (verb.name == "cut") {
      text += Feed(coordinator::StreamCut{ended});
    } else {
      text += Feed(coordinator::StreamReset{ended});
    }
  }
  return text;
}

std::string Stage::EndWorker(const Verb& verb) {
  std::string text;
  for (const std::string& name : verb.words) {
    const Hello& hello = Get(name).hello;
    if (verb.name == "leave") {
      text += Feed(coordinator::LeaveReceived{hello.job, hello.worker, hello.incarnation});
    } else {
      text += Feed(coordinator::ExitReported{hello.job, hello.worker, hello.incarnation,
                                             verb.Get("status", "signal 9")});
    }
  }
  return text;
}

std::string Stage::ResetPeer(const Verb& verb) {
  Actor& actor = Get(verb.words.at(0));
  actor.hello.report.reset_peers = {GlobalRank(static_cast<int32_t>(Number(verb, "rank")))};
  return Send(actor);
}

std::string Stage::Tick(const Verb& verb) {
  std::string text;
  const MonotonicTime end = now_ + Span(verb.words.at(0));
  while (now_ < end) {
    now_ = std::min(end, now_ + kTick);
    for (size_t i = 1; i < verb.words.size(); ++i) {
      Actor& actor = Get(verb.words[i]);
      if (actor.connection.value != 0) text += Send(actor);
    }
    text += Feed(coordinator::Tick{});
  }
  return text;
}

std::string Stage::Freeze(const Verb& verb) {
  now_ = now_ + Span(verb.words.at(0));
  return Feed(coordinator::Tick{});
}

std::string Stage::Status(const Verb& verb) {
  const coordinator::State& state = machine_->state();
  const auto uid = state.names.find(verb.Get("job", "wan"));
  if (uid == state.names.end()) return absl::StrCat("no job ", verb.Get("job", "wan"), "\n");
  const coordinator::Job& job = state.jobs.at(uid->second);
  std::string text =
      absl::StrCat("job ", job.spec->name, " ", std::string(sim::Name(sim::StepOf(job))),
                   " reserved E", job.reserved.value);
  if (job.committed.has_value()) {
    absl::StrAppend(&text, " committed E", job.committed->epoch.value);
  }
  for (size_t rank = 0; rank < job.seats.size(); ++rank) {
    absl::StrAppend(&text, " r", rank, "=", job.seats[rank].empty() ? "-" : job.seats[rank]);
  }
  if (!job.held.empty()) absl::StrAppend(&text, " held=\"", job.held, "\"");
  return text + "\n";
}

std::string Stage::Feed(const coordinator::Event& event) {
  return Carry(machine_->Step(event, now_));
}

std::string Stage::Carry(const std::vector<coordinator::Effect>& effects) {
  std::string text;
  for (const coordinator::Effect& effect : effects) {
    text += Line(effect);
    if (const auto* write = std::get_if<coordinator::WriteJournal>(&effect)) {
      unanswered_.push_back(*write);
    }
  }
  // Answered after all effects of the step: the journal is never faster than the machine.
  while (answers_at_once_ && !unanswered_.empty()) text += Answer(JournalResult::kWritten);
  return text;
}

std::string Stage::NameOf(ConnectionId connection) const {
  for (const auto& [name, actor] : actors_) {
    if (actor.connection == connection) return name;
  }
  return "nobody";
}

std::string Stage::Line(const coordinator::Effect& effect) {
  if (const auto* write = std::get_if<coordinator::WriteJournal>(&effect)) {
    return absl::StrCat("journal ", sim::Describe(write->record), "\n");
  }
  if (const auto* publish = std::get_if<coordinator::Publish>(&effect)) {
    const std::string name = NameOf(publish->connection);
    if (const auto actor = actors_.find(name); actor != actors_.end()) {
      actor->second.heard = publish->assignment;
    }
    return absl::StrCat("send ", name, " ", sim::Describe(publish->assignment), "\n");
  }
  if (const auto* close = std::get_if<coordinator::CloseStream>(&effect)) {
    const std::string name = NameOf(close->connection);
    const auto actor = actors_.find(name);
    if (actor != actors_.end()) actor->second.connection = ConnectionId();
    return absl::StrCat("close ", name, " ", sim::DescribeStatus(close->status), "\n");
  }
  if (const auto* reply = std::get_if<coordinator::Reply>(&effect)) {
    std::string text =
        absl::StrCat("reply ", reply->call.value, " ", sim::DescribeStatus(reply->status));
    if (reply->status.ok()) {
      const int ordinal =
          jobs_.emplace(reply->job, static_cast<int>(jobs_.size()) + 1).first->second;
      absl::StrAppend(&text, " uid=", ordinal, " generation=", reply->generation.value);
    }
    return text + "\n";
  }
  return sim::Describe(effect) + "\n";
}

}  // namespace muster::golden
