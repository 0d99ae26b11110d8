#ifndef MUSTER_COMMON_SESSION_DEADLINES_H_
#define MUSTER_COMMON_SESSION_DEADLINES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace muster {

// Every wait of the protocol, all derived from one number, the job's `recovery` T. Field comments
// give the derivation. All are durations on the clock of the process that waits.
struct Deadlines {
  absl::Duration recovery = absl::Seconds(30);

  // Silence for this long makes a worker lost: T / 3.
  absl::Duration lease;
  // A worker reports at least this often: lease / 5.
  absl::Duration heartbeat;
  // Added to the lease where the other side's clock may run slower: lease / 5.
  absl::Duration margin;
  // Steps of a transition: T / 6, T / 3, T / 6.
  absl::Duration prepare;
  absl::Duration build;
  absl::Duration retire;
  // Freeing what was built, once told to: min(2 s, T / 10).
  absl::Duration abort;
  // How long a worker waits for a coordinator before it gives a user an error: 2 T.
  absl::Duration coordinator_lost;
  // How long a process waits for its job to form: 10 min.
  absl::Duration join;
  // After a coordinator's restart, how long nobody is declared lost: min(10 s, T / 3).
  absl::Duration reattach_window;
  // From a stream's reset to the loss of its worker, unless it comes back: 150 ms, fixed.
  absl::Duration reattach_grace = absl::Milliseconds(150);
  // How long the holder of an identity has to answer when another process claims it: 200 ms, fixed.
  absl::Duration ping = absl::Milliseconds(200);
  // How long an operation waits for the coordinator's verdict on a transport error: 250 ms, fixed.
  absl::Duration verdict = absl::Milliseconds(250);

  friend bool operator==(const Deadlines&, const Deadlines&) = default;
};

// Single deadlines that a job's author set by hand; unset ones are derived.
struct DeadlineOverrides {
  std::optional<absl::Duration> lease;
  std::optional<absl::Duration> heartbeat;
  std::optional<absl::Duration> prepare;
  std::optional<absl::Duration> build;
  std::optional<absl::Duration> retire;
  std::optional<absl::Duration> abort;
  std::optional<absl::Duration> coordinator_lost;
  std::optional<absl::Duration> join;

  friend bool operator==(const DeadlineOverrides&, const DeadlineOverrides&) = default;
};

inline constexpr absl::Duration kRecoveryMin = absl::Seconds(1);
inline constexpr absl::Duration kRecoveryMax = absl::Hours(24);

// Derives all deadlines from `recovery` and lays `overrides` over them.
//
// Gives kInvalidArgument, naming the deadlines and both values, if `recovery` is outside
// [kRecoveryMin, kRecoveryMax], if one is not positive, or if the result is inverted: wanted are
// 2 x heartbeat <= lease, lease <= coordinator_lost, prepare + build <= join, abort <= retire.
absl::StatusOr<Deadlines> DeriveDeadlines(absl::Duration recovery,
                                          const DeadlineOverrides& overrides = {});

}  // namespace muster

#endif  // MUSTER_COMMON_SESSION_DEADLINES_H_
