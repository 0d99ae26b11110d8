// Broadcasts more bytes than 31 bits can count, 2^31 + 16, between two ranks, sends them back in
// one message, and compares every one. Takes 6 GiB of memory. Exits with 0 if all are right.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "common/base/check.h"
#include "tests/testing/comm_world.h"
#include "worker/comm/gloo/gloo_backend.h"

namespace muster {
namespace {

constexpr size_t kWords = (size_t{1} << 28U) + 2;  // Of 8 bytes.
constexpr absl::Duration kTimeout = absl::Minutes(10);

uint64_t WordAt(size_t place) { return (place + 1) * 0x9e3779b97f4a7c15U; }

bool IsRight(const std::vector<int64_t>& words) {
  for (size_t place = 0; place < words.size(); ++place) {
    if (words[place] != static_cast<int64_t>(WordAt(place))) return false;
  }
  return true;
}

std::unique_ptr<Backend> MakeBackend(const Clock* clock) {
  return std::make_unique<GlooBackend>(GlooOptions{.address = "127.0.0.1"}, clock);
}

absl::Status RunRank(Communicator& comm, int rank) {
  std::vector<int64_t> words(kWords);
  for (size_t place = 0; rank == 0 && place < kWords; ++place) {
    words[place] = static_cast<int64_t>(WordAt(place));
  }
  absl::Status status = comm.Broadcast(BufferOf(words), GroupRank(0), kTimeout)->Wait();
  if (!status.ok()) return status;
  if (!IsRight(words)) return absl::DataLossError("broadcast: wrong data");
  if (rank == 1) return comm.Send(BufferOf(words), GroupRank(0), kTimeout)->Wait();
  std::vector<int64_t> back(kWords);
  status = comm.Recv(BufferOf(back), GroupRank(1), kTimeout)->Wait();
  if (!status.ok()) return status;
  return IsRight(back) ? absl::OkStatus() : absl::DataLossError("send: wrong data");
}

int Main() {
  CommWorld world(MakeBackend, 2);
  world.Form();
  const auto start = std::chrono::steady_clock::now();
  bool right = true;
  for (const absl::Status& status : world.Run(RunRank)) {
    std::printf("%s\n", status.ToString().c_str());
    right = right && status.ok();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%zu bytes there and back: %s, %.1f s\n", kWords * 8, right ? "right" : "WRONG",
              took.count());
  return right ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main() { return muster::Main(); }
