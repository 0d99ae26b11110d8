#include "common/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <limits>

#include "common/base/check.h"

namespace muster {

uint64_t Random::Uniform(uint64_t n) {
  MUSTER_CHECK(n >= 1, "nothing to choose from");
  // 2^64 is rarely a multiple of n. Dropping the lowest 2^64 mod n draws leaves a multiple, so that
  // no remainder is favoured.
  const uint64_t surplus = (std::numeric_limits<uint64_t>::max() - n + 1) % n;
  uint64_t drawn = Next();
  while (drawn < surplus) drawn = Next();
  return drawn % n;
}

int64_t Random::Between(int64_t low, int64_t high) {
  MUSTER_CHECK(low <= high, "the range is empty");
  // Unsigned arithmetic wraps, so the full range of int64_t works too.
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const uint64_t offset = span == 0 ? Next() : Uniform(span);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

uint64_t SystemSeed() {
  uint64_t value = 0;
  ssize_t got = 0;
  do {
    got = getrandom(&value, sizeof(value), 0);
  } while (got < 0 && errno == EINTR);
  MUSTER_CHECK(got == sizeof(value), "the system gives no random bytes");
  return value;
}

uint64_t DrawNonZero64() {
  uint64_t value = SystemSeed();
  while (value == 0) value = SystemSeed();
  return value;
}

}  // namespace muster
