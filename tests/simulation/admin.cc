#include "tests/simulation/admin.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr Micros kMillisecond = 1000;
constexpr Micros kPatience = 5000 * kMillisecond;  // Of a caller with its call.

using coordinator::CallId;

}  // namespace

Admin::Admin(World& world)
    : world_(world),
      random_(world.plan.seed ^ 0x61646D696Eu),
      presence_(world.plan.jobs.size(), Presence::kAbsent) {}

void Admin::ScheduleFirst() {
  for (size_t job = 0; job < presence_.size(); ++job) {
    world_.queue.At(world_.plan.jobs[job].applied_at, [this, job] { Submit(Kind::kApply, job); });
  }
  if (random_.Chance(20)) {
    world_.queue.After(random_.Between(0, 5000 * kMillisecond),
                       [this] { Submit(Kind::kInvalid, 0); });
  }
}

void Admin::Submit(Kind kind, size_t job) {
  if (kind == Kind::kApply) {
    if (!creating_ || presence_[job] != Presence::kAbsent) return;
    presence_[job] = Presence::kComing;
  }
  Request request;
  request.kind = kind;
  request.job = job;
  request.id = absl::StrCat("request-", requests_.size());
  requests_.push_back(std::move(request));
  Send(requests_.size() - 1);
  if (random_.Chance(10)) Send(requests_.size() - 1);
}

bool Admin::Delete(size_t job) {
  if (presence_[job] != Presence::kPresent) return false;
  presence_[job] = Presence::kGoing;
  Submit(Kind::kDelete, job);
  return true;
}

coordinator::Event Admin::EventOf(const Request& request, CallId call) const {
  const JobSpec& spec = world_.plan.jobs[request.job].spec;
  switch (request.kind) {
    case Kind::kApply:
      return coordinator::ApplyRequested{call, request.id, spec};
    case Kind::kDelete:
      return coordinator::DeleteRequested{call, request.id, spec.name};
    case Kind::kInvalid:
      break;
  }
  JobSpec wrong;
  wrong.name = "wrong";
  wrong.layout.world_size = 3;
  wrong.layout.meshes.resize(1);
  wrong.layout.meshes[0].name = "main";
  wrong.layout.meshes[0].dims = {{"dp", 2}, {"tp", 2}};
  return coordinator::ApplyRequested{call, request.id, wrong};
}

void Admin::Send(size_t request) {
  world_.queue.After(world_.plan.network.delay.Draw(random_), [this, request] {
    if (requests_[request].forgotten) return;
    if (!world_.coordinator.up()) return SendLater(request);
    const CallId call(++last_call_);
    calls_[call] = {request, false};
    const uint64_t tries = ++requests_[request].tries;
    world_.queue.After(kPatience, [this, request, tries] {
      const bool waits = !requests_[request].result.has_value();
      if (waits && requests_[request].tries == tries) SendLater(request);
    });
    world_.coordinator.Deliver(world_.coordinator.run(), EventOf(requests_[request], call));
  });
}

void Admin::SendLater(size_t request) {
  world_.queue.After(random_.Between(20 * kMillisecond, 1000 * kMillisecond), [this, request] {
    const Request& waiting = requests_[request];
    if (!waiting.result.has_value() && !waiting.forgotten) Send(request);
  });
}

bool Admin::IsFinal(Kind kind, absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return kind != Kind::kInvalid;
    case absl::StatusCode::kInvalidArgument:
      return kind == Kind::kInvalid;
    default:
      return false;
  }
}

void Admin::OnReply(const coordinator::Reply& reply) {
  const auto call = calls_.find(reply.call);
  if (call == calls_.end() || call->second.answered) {
    world_.verdict.Break("every call is answered once",
                         absl::StrCat("call ", reply.call.value,
                                      " is answered again or by a run "
                                      "that never got it"));
    return;
  }
  call->second.answered = true;
  const size_t at = call->second.request;
  const Request& request = requests_[at];
  const absl::StatusCode code = reply.status.code();
  const bool try_again =
      code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kResourceExhausted;
  if (!try_again && !IsFinal(request.kind, code)) {
    world_.verdict.Break("requests get the answer that they deserve",
                         absl::StrCat(request.id, ": ", DescribeStatus(reply.status)));
    return;
  }
  if (request.forgotten) return;
  // The answer may be lost on its way; then the caller's patience ends and it asks again.
  if (!reliable_ && random_.Chance(5)) return;
  if (try_again) {
    SendLater(at);
  } else {
    Finish(at, {code, reply.job, reply.generation});
  }
}

void Admin::Finish(size_t at, const Result& result) {
  Request& request = requests_[at];
  if (request.result.has_value()) {
    if (*request.result == result) return;
    world_.verdict.Break("the same request id gets the same answer",
                         absl::StrCat(request.id, " got two answers"));
    return;
  }
  request.result = result;
  if (random_.Chance(20)) {
    world_.queue.After(random_.Between(0, 3000 * kMillisecond), [this, at] {
      if (!requests_[at].forgotten && !reliable_) Send(at);
    });
  }
  const size_t job = request.job;
  if (request.kind == Kind::kApply) {
    presence_[job] = Presence::kPresent;
  } else if (request.kind == Kind::kDelete) {
    presence_[job] = Presence::kAbsent;
    CreateLater(job);
  }
}

void Admin::CreateLater(size_t job) {
  const bool soon = random_.Chance(world_.plan.faults.reapply_percent);
  const Micros longest = (soon ? 500 : 6000) * kMillisecond;
  world_.queue.After(random_.Between(longest / 20, longest),
                     [this, job] { Submit(Kind::kApply, job); });
}

void Admin::OnCoordinatorEnd() {
  for (const auto& [id, call] : std::exchange(calls_, {})) {
    if (!requests_[call.request].result.has_value()) SendLater(call.request);
  }
}

void Admin::OnWiped() {
  for (Request& request : requests_) request.forgotten = true;
  for (size_t job = 0; job < presence_.size(); ++job) {
    presence_[job] = Presence::kAbsent;
    CreateLater(job);
  }
}

bool Admin::IsIdle() const {
  const bool answered = std::all_of(calls_.begin(), calls_.end(),
                                    [](const auto& entry) { return entry.second.answered; });
  return answered && std::all_of(requests_.begin(), requests_.end(), [](const Request& request) {
           return request.forgotten || request.result.has_value();
         });
}

}  // namespace muster::sim
