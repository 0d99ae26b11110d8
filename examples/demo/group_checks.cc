#include "examples/demo/group_checks.h"

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/base/clock_reading.h"

namespace muster::examples {
namespace {

constexpr int64_t kCount = 1003;  // Odd, so that nothing divides it by chance.

// The value that a global rank holds at a place; all different.
int64_t ValueOf(GlobalRank rank, int64_t at) { return (rank.value + 1) * 100003LL + at; }

std::vector<int64_t> ValuesOf(GlobalRank rank) {
  std::vector<int64_t> values(kCount);
  for (int64_t at = 0; at < kCount; ++at) values[static_cast<size_t>(at)] = ValueOf(rank, at);
  return values;
}

class Checker {
 public:
  Checker(GroupHandle& group, bool flip_byte)
      : group_(group),
        self_(group.ranks()[static_cast<size_t>(group.rank().value)]),
        flip_byte_(flip_byte) {}

  GroupReport Run() {
    const MonotonicTime start = ReadMonotonicClock();
    AllReduce();
    AllGather();
    Broadcast();
    PassAround();
    Note("barrier", group_.Barrier()->Wait());
    report_.took = ReadMonotonicClock() - start;
    return std::move(report_);
  }

 private:
  void Note(const char* operation, const absl::Status& status) {
    ++report_.checks;
    if (status.ok()) return;
    report_.failures.push_back(absl::StrCat(operation, " on ", group_.name(), " at rank ",
                                            self_.value, ": ", status.message()));
  }

  void Compare(const char* operation, const absl::Status& status, const std::vector<int64_t>& found,
               const std::function<int64_t(int64_t)>& want) {
    if (!status.ok()) return Note(operation, status);
    for (size_t at = 0; at < found.size(); ++at) {
      const int64_t wanted = want(static_cast<int64_t>(at));
      if (found[at] == wanted) continue;
      return Note(operation, absl::DataLossError(absl::StrCat("element ", at, " is ", found[at],
                                                              ", want ", wanted)));
    }
    Note(operation, absl::OkStatus());
  }

  void AllReduce() {
    const std::vector<int64_t> input = ValuesOf(self_);
    std::vector<int64_t> output(kCount);
    const absl::Status status =
        group_.AllReduce(BufferOf(input), BufferOf(output), ReduceOp::kSum)->Wait();
    if (flip_byte_) reinterpret_cast<unsigned char*>(output.data())[5] ^= 0xff;
    Compare("all_reduce", status, output, [this](int64_t at) {
      int64_t sum = 0;
      for (const GlobalRank rank : group_.ranks()) sum += ValueOf(rank, at);
      return sum;
    });
  }

  void AllGather() {
    const std::vector<int64_t> input = ValuesOf(self_);
    std::vector<int64_t> output(static_cast<size_t>(kCount * group_.size()));
    const absl::Status status = group_.AllGather(BufferOf(input), BufferOf(output))->Wait();
    Compare("all_gather", status, output, [this](int64_t at) {
      return ValueOf(group_.ranks()[static_cast<size_t>(at / kCount)], at % kCount);
    });
  }

  void Broadcast() {
    const GroupRank root(group_.size() - 1);
    std::vector<int64_t> buffer = ValuesOf(self_);
    const absl::Status status = group_.Broadcast(BufferOf(buffer), root)->Wait();
    Compare("broadcast", status, buffer, [this, root](int64_t at) {
      return ValueOf(group_.ranks()[static_cast<size_t>(root.value)], at);
    });
  }

  // Each sends to the next and receives from the one before.
  void PassAround() {
    const int32_t next = (group_.rank().value + 1) % group_.size();
    const int32_t previous = (group_.rank().value - 1 + group_.size()) % group_.size();
    const std::vector<int64_t> out = ValuesOf(self_);
    std::vector<int64_t> in(kCount);
    std::unique_ptr<Work> send = group_.Send(BufferOf(out), GroupRank(next));
    std::unique_ptr<Work> recv = group_.Recv(BufferOf(in), GroupRank(previous));
    const absl::Status sent = send->Wait();
    const absl::Status received = recv->Wait();
    Compare("send_recv", sent.ok() ? received : sent, in, [this, previous](int64_t at) {
      return ValueOf(group_.ranks()[static_cast<size_t>(previous)], at);
    });
  }

  GroupHandle& group_;
  const GlobalRank self_;
  const bool flip_byte_;
  GroupReport report_;
};

}  // namespace

GroupReport CheckGroup(GroupHandle& group, bool flip_byte) {
  return Checker(group, flip_byte).Run();
}

}  // namespace muster::examples
