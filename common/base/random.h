#ifndef MUSTER_COMMON_BASE_RANDOM_H_
#define MUSTER_COMMON_BASE_RANDOM_H_

#include <cstdint>
#include <random>

namespace muster {

// Numbers that follow from a seed: the same seed gives the same sequence on every platform and with
// every standard library. Not for secrets.
//
// Thread safety: one thread at a time. Copying copies the place in the sequence.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // Every 64-bit number alike.
  uint64_t Next() { return engine_(); }

  // Every number in [0, n) alike; n >= 1.
  uint64_t Uniform(uint64_t n);

  // Every number in [low, high] alike; low <= high.
  int64_t Between(int64_t low, int64_t high);

  // True in `percent` of 100 cases: never at 0, always from 100 on.
  bool Chance(uint64_t percent) { return Uniform(100) < percent; }

  // A generator of its own that follows from this one. What one of the two draws later does not
  // change what the other draws.
  Random Fork() { return Random(Next()); }

 private:
  std::mt19937_64 engine_;
};

// A number from the operating system's generator, fit to name things. Never blocks once the system
// has booted; ends the process if the system has no generator.
uint64_t SystemSeed();

// The same, but never 0: for incarnations, store ids and job uids, where 0 means "none".
uint64_t DrawNonZero64();

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_RANDOM_H_
