// What operations of a group cost: through the communicator, with and without the comparison of
// calls, beside the same operation of gloo called directly. Members are threads of this process
// that talk over the loopback interface.
//
// usage: ops_bench [OPERATION [BYTES]]   default: all
//
// A size is the memory of all ranks' parts together that one rank holds: input or output, the
// larger one. A time is that from a common start until the last rank is done.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/check.h"
#include "common/base/monitor.h"
#include "gloo/allgather.h"
#include "gloo/allgatherv.h"
#include "gloo/allreduce.h"
#include "gloo/alltoall.h"
#include "gloo/alltoallv.h"
#include "gloo/barrier.h"
#include "gloo/broadcast.h"
#include "gloo/gather.h"
#include "gloo/math.h"
#include "gloo/reduce.h"
#include "gloo/reduce_scatter.h"
#include "gloo/rendezvous/context.h"
#include "gloo/rendezvous/hash_store.h"
#include "gloo/scatter.h"
#include "gloo/transport/tcp/device.h"
#include "tests/testing/comm_world.h"
#include "worker/comm/gloo/gloo_backend.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

constexpr absl::Duration kTimeout = absl::Minutes(5);

struct Shape {
  int32_t size = 2;   // Of the group.
  int64_t share = 1;  // Elements of one rank's share, of float32.
  int64_t whole = 2;  // Of all shares.
};

// The memory of one rank.
struct Memory {
  explicit Memory(const Shape& shape)
      : in(static_cast<size_t>(shape.whole), 1.5F), out(in.size()), counts(Counts(shape)) {}
  static std::vector<int64_t> Counts(const Shape& shape) {
    return std::vector<int64_t>(static_cast<size_t>(shape.size), shape.share);
  }
  std::vector<float> in;
  std::vector<float> out;
  std::vector<int64_t> counts;
};

Buffer First(std::vector<float>& elements, int64_t count) {
  Buffer buffer = BufferOf(elements);
  buffer.count = count;
  return buffer;
}

// Makes the call of one rank.
OperationCall CallOf(Operation operation, const Shape& shape, int32_t rank, Memory& memory) {
  OperationCall call{.operation = operation};
  if (operation == Operation::kBarrier) return call;
  const bool shares_out = operation == Operation::kScatter ||
                          operation == Operation::kReduceScatter ||
                          operation == Operation::kReduceScatterV;
  const bool shares_in = operation == Operation::kAllGather || operation == Operation::kGather ||
                         operation == Operation::kAllGatherV;
  call.input = First(memory.in, shares_in ? shape.share : shape.whole);
  call.output = First(memory.out, shares_out ? shape.share : shape.whole);
  if (operation == Operation::kBroadcast) call.input = call.output;
  if (SharesDiffer(operation) || operation == Operation::kAllToAllV) call.counts = memory.counts;
  if (operation == Operation::kAllToAllV) call.recv_counts = memory.counts;
  if (IsPointToPoint(operation)) {
    call.operation = rank == 0 ? Operation::kSend : Operation::kRecv;
    call.root = GroupRank(1 - rank);
  }
  return call;
}

// The same by gloo. Gives false if it has no such operation.
using RawContext = std::shared_ptr<gloo::Context>;

void Sum(void* to, const void* a, const void* b, size_t count) {
  gloo::sum<float>(to, a, b, count);
}

bool RawReduction(const RawContext& context, Operation operation, const Shape& shape,
                  Memory& memory) {
  const auto whole = static_cast<size_t>(shape.whole);
  if (operation == Operation::kAllReduce) {
    gloo::AllreduceOptions options(context);
    options.setInput(memory.in.data(), whole);
    options.setOutput(memory.out.data(), whole);
    options.setReduceFunction(Sum);
    gloo::allreduce(options);
    return true;
  }
  if (operation == Operation::kReduce) {
    gloo::ReduceOptions options(context);
    options.setInput(memory.in.data(), whole);
    options.setOutput(memory.out.data(), whole);
    options.setReduceFunction(Sum);
    options.setRoot(0);
    gloo::reduce(options);
    return true;
  }
  if (operation == Operation::kReduceScatter) {
    const std::vector<int> counts(static_cast<size_t>(shape.size), static_cast<int>(shape.share));
    gloo::ReduceScatterHalvingDoubling<float> reduce(context, {memory.in.data()},
                                                     static_cast<int>(shape.whole), counts);
    reduce.run();
    return true;
  }
  return false;
}

bool RawMove(const RawContext& context, Operation operation, const Shape& shape, Memory& memory) {
  const auto share = static_cast<size_t>(shape.share);
  const auto whole = static_cast<size_t>(shape.whole);
  if (operation == Operation::kAllGather) {
    gloo::AllgatherOptions options(context);
    options.setInput(memory.in.data(), share);
    options.setOutput(memory.out.data(), whole);
    gloo::allgather(options);
  } else if (operation == Operation::kAllGatherV) {
    gloo::AllgathervOptions options(context);
    options.setInput(memory.in.data(), share);
    options.setOutput(memory.out.data(),
                      std::vector<size_t>(static_cast<size_t>(shape.size), share));
    gloo::allgatherv(options);
  } else if (operation == Operation::kGather) {
    gloo::GatherOptions options(context);
    options.setInput(memory.in.data(), share);
    if (context->rank == 0) options.setOutput(memory.out.data(), whole);
    options.setRoot(0);
    gloo::gather(options);
  } else if (operation == Operation::kScatter) {
    gloo::ScatterOptions options(context);
    std::vector<float*> parts;
    for (size_t rank = 0; rank < static_cast<size_t>(shape.size); ++rank) {
      parts.push_back(memory.in.data() + rank * share);
    }
    if (context->rank == 0) options.setInputs(parts, share);
    options.setOutput(memory.out.data(), share);
    options.setRoot(0);
    gloo::scatter(options);
  } else if (operation == Operation::kBroadcast) {
    gloo::BroadcastOptions options(context);
    options.setOutput(memory.out.data(), whole);
    options.setRoot(0);
    gloo::broadcast(options);
  } else if (operation == Operation::kAllToAll) {
    gloo::AlltoallOptions options(context);
    options.setInput(memory.in.data(), whole);
    options.setOutput(memory.out.data(), whole);
    gloo::alltoall(options);
  } else if (operation == Operation::kAllToAllV) {
    gloo::AlltoallvOptions options(context);
    options.setInput(memory.in.data(), memory.counts);
    options.setOutput(memory.out.data(), memory.counts);
    gloo::alltoallv(options);
  } else {
    return false;
  }
  return true;
}

bool RawOperation(const RawContext& context, Operation operation, const Shape& shape,
                  Memory& memory) {
  if (operation == Operation::kBarrier) {
    gloo::BarrierOptions options(context);
    gloo::barrier(options);
    return true;
  }
  if (operation == Operation::kSend) {
    const size_t bytes = memory.in.size() * sizeof(float);
    if (context->rank == 0) {
      auto buffer = context->createUnboundBuffer(memory.in.data(), bytes);
      buffer->send(1, 99);
      buffer->waitSend();
    } else if (context->rank == 1) {
      auto buffer = context->createUnboundBuffer(memory.out.data(), bytes);
      buffer->recv(0, 99);
      buffer->waitRecv();
    }
    return true;
  }
  return RawReduction(context, operation, shape, memory) ||
         RawMove(context, operation, shape, memory);
}

// Where all ranks wait for each other, asleep: to spin would take the processors from those who
// still work.
class Meeting {
 public:
  explicit Meeting(int32_t size) : size_(size) {}

  void Attend() {
    MonitorLock lock(&monitor_);
    const int64_t round = attended_ / size_;
    if (++attended_ % size_ == 0) monitor_.NotifyAll();
    while (attended_ / size_ == round) monitor_.Wait();
  }

 private:
  const int32_t size_;
  Monitor monitor_;
  int64_t attended_ ABSL_GUARDED_BY(monitor_) = 0;
};

// Times of one kind of call, in microseconds; none if it cannot be made.
using Times = std::vector<double>;

// Runs `body` `rounds` times on every rank at once, and adds the times unless it gives false.
using Body = std::function<bool(int32_t rank, Memory& memory)>;

void MeasureRounds(const Shape& shape, int rounds, const Body& body, Times* times) {
  constexpr int kWarmUps = 2;
  Meeting meeting(shape.size);
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < shape.size; ++rank) {
    threads.emplace_back([&, rank] {
      Memory memory(shape);
      for (int round = 0; round < rounds + kWarmUps; ++round) {
        meeting.Attend();
        const Clock::time_point start = Clock::now();
        const bool done = body(rank, memory);
        meeting.Attend();
        if (rank != 0 || !done || round < kWarmUps) continue;
        times->push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A communicator for each rank.
class Ours {
 public:
  Ours(int32_t size, CallChecks checks) : world_(MakeBackend, size) {
    for (int r = 0; r < size; ++r) world_.plan(r).call_checks = checks;
    world_.Form();
  }

  void Measure(Operation operation, const Shape& shape, int rounds, Times* times) {
    const auto body = [&](int32_t rank, Memory& memory) {
      if (IsPointToPoint(operation) && rank > 1) return true;
      OperationCall call = CallOf(operation, shape, rank, memory);
      const absl::Status status = world_.at(rank).Start(std::move(call), kTimeout)->Wait();
      MUSTER_CHECK(status.ok(), status.ToString());
      return true;
    };
    MeasureRounds(shape, rounds, body, times);
  }

 private:
  static std::unique_ptr<Backend> MakeBackend(const muster::Clock* clock) {
    return std::make_unique<GlooBackend>(GlooOptions{.address = "127.0.0.1"}, clock);
  }

  CommWorld world_;
};

// A context of gloo for each rank.
class Raw {
 public:
  explicit Raw(int32_t size) : contexts_(static_cast<size_t>(size)) {
    gloo::rendezvous::HashStore store;
    std::vector<std::thread> threads;
    for (int32_t rank = 0; rank < size; ++rank) {
      threads.emplace_back([this, rank, size, &store] {
        auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
        auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);
        context->connectFullMesh(store, device);
        contexts_[static_cast<size_t>(rank)] = std::move(context);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void Measure(Operation operation, const Shape& shape, int rounds, Times* times) {
    const auto body = [&](int32_t rank, Memory& memory) {
      return RawOperation(contexts_[static_cast<size_t>(rank)], operation, shape, memory);
    };
    MeasureRounds(shape, rounds, body, times);
  }

 private:
  std::vector<RawContext> contexts_;
};

void Print(Times times) {
  if (times.empty()) {
    std::printf(" %9s %9s", "none", "");
    return;
  }
  std::sort(times.begin(), times.end());
  std::printf(" %9.0f %9.0f", times[times.size() / 2], times[times.size() / 10]);
}

struct Size {
  const char* name;
  int64_t bytes;
  int rounds;  // In each batch.
};

// The kinds of one operation take turns, so that what else the machine does hits all of them alike.
void MeasureAndPrint(Ours& checked, Ours& unchecked, Raw& raw, Operation operation,
                     const Shape& shape, int rounds) {
  constexpr int kBatches = 3;
  Times times[3];
  for (int batch = 0; batch < kBatches; ++batch) {
    checked.Measure(operation, shape, rounds, &times[0]);
    unchecked.Measure(operation, shape, rounds, &times[1]);
    raw.Measure(operation, shape, rounds, &times[2]);
  }
  for (const Times& kind : times) Print(kind);
  std::printf("\n");
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  constexpr Size kSizes[] = {{"8 B", 8, 200}, {"1 MiB", 1 << 20, 20}, {"64 MiB", 64 << 20, 3}};
  double load = 0;
  MUSTER_CHECK(getloadavg(&load, 1) == 1, "no load average");
  std::printf("microseconds, median and lowest tenth; float32, sum; %u cores, load before %.1f\n\n",
              std::thread::hardware_concurrency(), load);
  for (const int32_t size : {2, 4}) {
    Ours checked(size, CallChecks::kOn);
    Ours unchecked(size, CallChecks::kOff);
    Raw raw(size);
    std::printf("%-16s %-7s %19s %19s %19s   ranks: %d\n", "operation", "size", "checked",
                "unchecked", "gloo", size);
    for (const Operation operation : kAllOperations) {
      const std::string name(OperationName(operation));
      if (operation == Operation::kRecv || (argc > 1 && name != argv[1])) continue;
      for (const Size& at : kSizes) {
        if (operation == Operation::kBarrier && at.bytes > 8) break;
        if (argc > 2 && std::to_string(at.bytes) != argv[2]) continue;
        const int64_t share =
            std::max<int64_t>(1, at.bytes / static_cast<int64_t>(sizeof(float)) / size);
        std::printf("%-16s %-7s", name.c_str(), operation == Operation::kBarrier ? "" : at.name);
        MeasureAndPrint(checked, unchecked, raw, operation,
                        {.size = size, .share = share, .whole = share * size}, at.rounds);
      }
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) { return muster::Main(argc, argv); }
