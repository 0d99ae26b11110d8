#ifndef MUSTER_TESTS_WORKER_CORE_AGENT_BED_H_
#define MUSTER_TESTS_WORKER_CORE_AGENT_BED_H_

#include <string>
#include <variant>
#include <vector>

#include "common/base/time.h"
#include "common/session/session.h"
#include "worker/core/agent.h"

namespace muster::worker {

// The world of the tests: job "wan" of 4 ranks with a mesh "dit" of (sp=2, tp=2), and the agent of
// rank 2, whose groups are, in the order of building, world#0 {0, 1, 2, 3}, dit.sp#0 {0, 2} and
// dit.tp#1 {2, 3}.
inline constexpr GlobalRank kOurRank{2};
inline constexpr Incarnation kOurs{0xA2};
inline constexpr StoreId kStore{71};
inline constexpr JobUid kJobUid{9001};
inline constexpr GroupId kWorld{0, 0};
inline constexpr GroupId kSp{1, 0};
inline constexpr GroupId kTp{2, 1};
inline constexpr absl::Duration kTick = absl::Milliseconds(50);

JobSpec WanSpec();
AgentOptions WanOptions();

// One agent, its time, and a hand for its coordinator and its shell. After every event it expects
// that the agent's state violates nothing.
class AgentBed {
 public:
  explicit AgentBed(AgentOptions options = WanOptions());

  // Feeds one event at the time of now.
  std::vector<Effect> Do(const Event& event);

  // Lets time pass with a tick every kTick; the effects of all of them.
  std::vector<Effect> Pass(absl::Duration by);

  // Lets time pass without a tick, as in a process that does not run.
  void Sleep(absl::Duration by) { now_ = now_ + by; }

  // What the coordinator would send next if it had nothing to say: revision + 1 of the last one.
  Assignment Next();
  // The same with an attempt for our rank. In kBuild all peers have endpoints.
  Assignment Attempt(Epoch epoch, AttemptStep step);
  Assignment Committed(Epoch epoch);
  Assignment Lost(Epoch epoch, std::vector<LostMember> lost);

  // Sends an assignment on the stream of now.
  std::vector<Effect> Assign(const Assignment& assignment);

  // Answers every build, free and close of `effects` and of what follows; all effects, in order.
  std::vector<Effect> Answer(std::vector<Effect> effects);

  // Ways to a state. Each begins where the one before it ends.
  std::vector<Effect> Open();
  std::vector<Effect> ToPreparing(Epoch epoch);
  std::vector<Effect> ToPrepared(Epoch epoch);
  std::vector<Effect> ToBuilt(Epoch epoch);
  std::vector<Effect> ToActive(Epoch epoch);

  // Ends the stream of now, dials until the next one is open.
  void Reconnect();

  // The state of `epoch`, which must be held.
  HoldingState StateOf(Epoch epoch) const;
  std::vector<Epoch> Held() const;

  const AgentState& state() const { return agent_.state(); }
  SessionNumber session() const { return state().link.session; }
  MonotonicTime now() const { return now_; }
  Agent& agent() { return agent_; }
  const Deadlines& deadlines() const { return deadlines_; }
  const std::vector<Effect>& first_effects() const { return first_effects_; }

 private:
  MonotonicTime now_{absl::Seconds(1000)};
  Agent agent_;
  Deadlines deadlines_;
  Assignment last_;
  std::vector<Effect> first_effects_;
};

// All effects of type T, in order.
template <typename T>
std::vector<T> All(const std::vector<Effect>& effects) {
  std::vector<T> found;
  for (const Effect& effect : effects) {
    if (const auto* one = std::get_if<T>(&effect)) found.push_back(*one);
  }
  return found;
}

// The names of the effects in order, reports left out.
std::vector<std::string> Names(const std::vector<Effect>& effects);

// The other members of our groups, all with endpoints.
std::vector<Peer> AllPeers();

std::vector<Endpoint> OurEndpoints();

// Rank 1, lost by silence while it was in an operation.
LostMember LostRankOne();

}  // namespace muster::worker

#endif  // MUSTER_TESTS_WORKER_CORE_AGENT_BED_H_
