#ifndef MUSTER_TESTS_TESTING_COMM_CONFORMANCE_H_
#define MUSTER_TESTS_TESTING_COMM_CONFORMANCE_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "worker/comm/communicator.h"

// What every backend on host memory must do. A backend's own test includes this and names itself:
//
//   INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorConformance,
//                            ConformanceOf("gloo", MakeGlooForTest), ConformanceName);
namespace muster {

struct ConformanceCase {
  std::string backend;
  CommWorld::MakeBackend make_backend;
  int32_t size = 1;
};

inline auto ConformanceOf(const std::string& backend, const CommWorld::MakeBackend& make_backend) {
  std::vector<ConformanceCase> cases;
  for (const int32_t size : {1, 2, 3, 5, 8}) cases.push_back({backend, make_backend, size});
  return testing::ValuesIn(cases);
}

inline std::string ConformanceName(const testing::TestParamInfo<ConformanceCase>& info) {
  return info.param.backend + "Size" + std::to_string(info.param.size);
}

inline std::ostream& operator<<(std::ostream& out, const ConformanceCase& c) {
  return out << c.backend << " of size " << c.size;
}

class CommunicatorConformance : public testing::TestWithParam<ConformanceCase> {
 protected:
  static constexpr absl::Duration kTimeout = absl::Seconds(60);

  // Around what fits beside a header, around a share each, and in many pieces.
  static constexpr int64_t kCounts[] = {0, 1, 2, 3, 7, 127, 129, 257, 1023, 100003};

  void SetUp() override {
    world_ = std::make_unique<CommWorld>(GetParam().make_backend, GetParam().size);
    world_->Form();
  }

  int32_t size() const { return GetParam().size; }

  void RunOk(const std::function<absl::Status(Communicator&, int)>& body) {
    for (const absl::Status& status : world_->Run(body)) ASSERT_THAT(status, IsOk());
  }

  std::unique_ptr<CommWorld> world_;
};

// Element `i` of rank `r`, small enough for exact sums in every type that is wide enough, and
// different for every (r, i) in those.
template <typename T>
T ElementOf(int r, int64_t i) {
  const int64_t value = int64_t{r} * 100019 + i;
  if constexpr (std::is_same_v<T, bool>) {
    return value % 3 != 0;
  } else if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat16(static_cast<float>(value % 61));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(static_cast<float>(value % 61));
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return {static_cast<float>(value), static_cast<float>(-value - 5)};
  } else {
    return static_cast<T>(value);
  }
}

// The sum of all ranks' elements, computed otherwise than the product does.
template <typename T>
T SumOf(int size, int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    bool any = false;
    for (int r = 0; r < size; ++r) any = any || ElementOf<bool>(r, i);
    return any;
  } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    double sum = 0;
    for (int r = 0; r < size; ++r) sum += ToFloat(ElementOf<T>(r, i));
    if constexpr (std::is_same_v<T, Float16>) {
      return ToFloat16(static_cast<float>(sum));
    } else {
      return ToBFloat16(static_cast<float>(sum));
    }
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    std::complex<double> sum = 0;
    for (int r = 0; r < size; ++r) sum += std::complex<double>(ElementOf<T>(r, i));
    return std::complex<float>(sum);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(100019.0 * size * (size - 1) / 2 + static_cast<double>(size * i));
  } else {
    return static_cast<T>(int64_t{100019} * size * (size - 1) / 2 + size * i);
  }
}

// Tells in one line where two vectors differ first; empty if nowhere.
template <typename T>
std::string FirstDifference(const std::vector<T>& found, const std::vector<T>& wanted) {
  if (found.size() != wanted.size()) return "sizes differ";
  for (size_t i = 0; i < found.size(); ++i) {
    if (!(found[i] == wanted[i])) return "element " + std::to_string(i) + " differs";
  }
  return "";
}

template <typename T>
std::vector<T> ElementsOf(int r, int64_t count) {
  std::vector<T> elements;
  for (int64_t i = 0; i < count; ++i) elements.push_back(ElementOf<T>(r, i));
  return elements;
}

// std::vector<bool> has no memory of bools; this holds each in a byte.
template <typename T>
Buffer HostBuffer(std::vector<T>& elements) {
  return BufferOf(elements);
}
inline Buffer BoolBuffer(std::vector<uint8_t>& bytes) {
  Buffer buffer = BufferOf(bytes);
  buffer.dtype = DType::kBool;
  return buffer;
}

template <typename T>
void CheckSum(Communicator& comm, int r, int64_t count, bool in_place, absl::Duration timeout) {
  std::vector<T> input = ElementsOf<T>(r, count);
  std::vector<T> output(in_place ? 0 : input.size());
  std::vector<T>& result = in_place ? input : output;
  std::vector<T> wanted;
  for (int64_t i = 0; i < count; ++i) wanted.push_back(SumOf<T>(comm.facts().size(), i));
  const absl::Status status =
      comm.AllReduce(BufferOf(input), BufferOf(result), ReduceOp::kSum, timeout)->Wait();
  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(FirstDifference(result, wanted), "")
      << DTypeName(DTypeOf<T>::value) << " x " << count << " on rank " << r;
  if (!in_place) {
    EXPECT_EQ(FirstDifference(input, ElementsOf<T>(r, count)), "") << "the input was changed";
  }
}

TEST_P(CommunicatorConformance, AllReduceSumsEveryDType) {
  RunOk([](Communicator& comm, int r) {
    for (const int64_t count : kCounts) {
      for (const bool in_place : {false, true}) {
        CheckSum<int8_t>(comm, r, count, in_place, kTimeout);
        CheckSum<uint8_t>(comm, r, count, in_place, kTimeout);
        CheckSum<int32_t>(comm, r, count, in_place, kTimeout);
        CheckSum<int64_t>(comm, r, count, in_place, kTimeout);
        CheckSum<Float16>(comm, r, count, in_place, kTimeout);
        CheckSum<BFloat16>(comm, r, count, in_place, kTimeout);
        CheckSum<float>(comm, r, count, in_place, kTimeout);
        CheckSum<double>(comm, r, count, in_place, kTimeout);
        CheckSum<std::complex<float>>(comm, r, count, in_place, kTimeout);
      }
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, AllReduceOfBoolIsOr) {
  RunOk([this](Communicator& comm, int r) {
    for (const int64_t count : kCounts) {
      std::vector<uint8_t> bytes;
      std::vector<uint8_t> wanted;
      for (int64_t i = 0; i < count; ++i) {
        bytes.push_back(ElementOf<bool>(r, i) ? 1 : 0);
        wanted.push_back(SumOf<bool>(size(), i) ? 1 : 0);
      }
      EXPECT_THAT(
          comm.AllReduce(BoolBuffer(bytes), BoolBuffer(bytes), ReduceOp::kSum, kTimeout)->Wait(),
          IsOk());
      EXPECT_EQ(FirstDifference(bytes, wanted), "");
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, AllReduceFindsProductMinimumAndMaximum) {
  RunOk([this](Communicator& comm, int r) {
    for (const int64_t count : {int64_t{5}, int64_t{4001}}) {
      const auto element = [](int rank, int64_t i) { return double((rank * 5 + i * 3) % 7) - 2; };
      std::vector<double> input;
      std::vector<std::vector<double>> wanted(3);
      for (int64_t i = 0; i < count; ++i) {
        input.push_back(element(r, i));
        double product = 1, minimum = 100, maximum = -100;
        for (int rank = 0; rank < size(); ++rank) {
          product *= element(rank, i);
          minimum = std::min(minimum, element(rank, i));
          maximum = std::max(maximum, element(rank, i));
        }
        wanted[0].push_back(product);
        wanted[1].push_back(minimum);
        wanted[2].push_back(maximum);
      }
      const ReduceOp ops[] = {ReduceOp::kProduct, ReduceOp::kMin, ReduceOp::kMax};
      for (size_t i = 0; i < 3; ++i) {
        std::vector<double> output(input.size());
        EXPECT_THAT(comm.AllReduce(BufferOf(input), BufferOf(output), ops[i], kTimeout)->Wait(),
                    IsOk());
        EXPECT_EQ(FirstDifference(output, wanted[i]), "") << ReduceOpName(ops[i]);
      }
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, SixteenBitFloatsAreSummedInFloat32) {
  // One rank has 256 and the others 1: a sum that is rounded after each step would stay at 256.
  RunOk([this](Communicator& comm, int r) {
    for (const size_t count : {size_t{3}, size_t{3000}}) {
      std::vector<BFloat16> values(count, ToBFloat16(r == 0 ? 256.0F : 1.0F));
      EXPECT_THAT(
          comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kTimeout)->Wait(),
          IsOk());
      const BFloat16 wanted = ToBFloat16(256.0F + static_cast<float>(size() - 1));
      EXPECT_EQ(FirstDifference(values, std::vector<BFloat16>(count, wanted)), "");
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, AllReduceGivesAllRanksTheSameBits) {
  std::vector<std::vector<float>> results(static_cast<size_t>(size()));
  RunOk([&results](Communicator& comm, int r) {
    std::vector<float>& values = results[static_cast<size_t>(r)];
    for (int i = 0; i < 5000; ++i) values.push_back(std::sin(static_cast<float>(r * 5000 + i)));
    return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kTimeout)->Wait();
  });
  for (const std::vector<float>& values : results) {
    EXPECT_EQ(FirstDifference(values, results[0]), "");
  }
}

TEST_P(CommunicatorConformance, AllGatherPutsEveryRankAtItsPlace) {
  RunOk([this](Communicator& comm, int r) {
    for (const int64_t count : kCounts) {
      std::vector<int64_t> wanted;
      for (int rank = 0; rank < size(); ++rank) {
        for (const int64_t value : ElementsOf<int64_t>(rank, count)) wanted.push_back(value);
      }
      std::vector<int64_t> input = ElementsOf<int64_t>(r, count);
      std::vector<int64_t> output(wanted.size());
      EXPECT_THAT(comm.AllGather(BufferOf(input), BufferOf(output), kTimeout)->Wait(), IsOk());
      EXPECT_EQ(FirstDifference(output, wanted), "") << count << " elements";

      std::vector<int64_t> in_place(wanted.size());
      std::copy(input.begin(), input.end(), in_place.begin() + r * count);
      Buffer slice = BufferOf(in_place);
      slice.data += r * count * 8;
      slice.count = count;
      EXPECT_THAT(comm.AllGather(slice, BufferOf(in_place), kTimeout)->Wait(), IsOk());
      EXPECT_EQ(FirstDifference(in_place, wanted), "") << count << " elements in place";
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, BroadcastCopiesFromEveryRoot) {
  RunOk([this](Communicator& comm, int r) {
    for (const int64_t count : kCounts) {
      for (int root = 0; root < size(); ++root) {
        std::vector<double> values = ElementsOf<double>(r, count);
        EXPECT_THAT(comm.Broadcast(BufferOf(values), GroupRank(root), kTimeout)->Wait(), IsOk());
        EXPECT_EQ(FirstDifference(values, ElementsOf<double>(root, count)), "");
      }
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, MessagesArriveInOrderAndBothSidesMaySendFirst) {
  RunOk([this](Communicator& comm, int r) {
    std::vector<std::vector<int32_t>> out;
    std::vector<std::vector<int32_t>> in;
    std::vector<std::unique_ptr<Work>> works;
    out.reserve(256);
    in.reserve(256);
    for (int other = 0; other < size(); ++other) {
      if (other == r) continue;
      for (const int64_t count : {int64_t{0}, int64_t{3}, int64_t{70001}, int64_t{5}}) {
        out.push_back(ElementsOf<int32_t>(r * size() + other, count));
        works.push_back(comm.Send(BufferOf(out.back()), GroupRank(other), kTimeout));
      }
    }
    for (int other = 0; other < size(); ++other) {
      if (other == r) continue;
      for (const int64_t count : {int64_t{0}, int64_t{3}, int64_t{70001}, int64_t{5}}) {
        in.emplace_back(static_cast<size_t>(count));
        works.push_back(comm.Recv(BufferOf(in.back()), GroupRank(other), kTimeout));
      }
    }
    for (const auto& work : works) EXPECT_THAT(work->Wait(), IsOk());
    size_t at = 0;
    for (int other = 0; other < size(); ++other) {
      if (other == r) continue;
      for (const int64_t count : {int64_t{0}, int64_t{3}, int64_t{70001}, int64_t{5}}) {
        EXPECT_EQ(FirstDifference(in[at++], ElementsOf<int32_t>(other * size() + r, count)), "");
      }
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, BarrierEndsAfterEveryRankHasCome) {
  std::atomic<int> come{0};
  RunOk([this, &come](Communicator& comm, int) {
    for (int round = 1; round <= 20; ++round) {
      ++come;
      EXPECT_THAT(comm.Barrier(kTimeout)->Wait(), IsOk());
      EXPECT_GE(come, round * size());
    }
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, OperationsThatAreStartedTogetherRunInOrder) {
  RunOk([this](Communicator& comm, int r) {
    std::vector<int64_t> first(9000, r + 1);
    std::vector<int64_t> second(9000, r + 1);
    auto one = comm.AllReduce(BufferOf(first), BufferOf(first), ReduceOp::kSum, kTimeout);
    auto two = comm.AllReduce(BufferOf(second), BufferOf(second), ReduceOp::kMax, kTimeout);
    EXPECT_THAT(two->Wait(), IsOk());
    EXPECT_TRUE(one->IsDone());
    EXPECT_THAT(one->Wait(), IsOk());
    EXPECT_EQ(first.back(), size() * (size() + 1) / 2);
    EXPECT_EQ(second.back(), size());
    return absl::OkStatus();
  });
}

TEST_P(CommunicatorConformance, RefusedArgumentsLeaveTheGroupUsable) {
  const auto statuses = world_->Run([](Communicator& comm, int) {
    std::vector<float> three(3), four(4);
    const absl::Status refused =
        comm.AllReduce(BufferOf(three), BufferOf(four), ReduceOp::kSum, kTimeout)->Wait();
    EXPECT_THAT(comm.Barrier(kTimeout)->Wait(), IsOk());
    EXPECT_THAT(comm.Barrier(absl::ZeroDuration())->Wait(), HasKind(ErrorKind::kOperationRefused));
    EXPECT_THAT(comm.Broadcast(BufferOf(three), GroupRank(99), kTimeout)->Wait(),
                HasKind(ErrorKind::kOperationRefused));
    EXPECT_THAT(comm.Send(BufferOf(three), comm.facts().rank, kTimeout)->Wait(),
                HasKind(ErrorKind::kOperationRefused));
    std::vector<std::complex<float>> complex(2);
    EXPECT_THAT(
        comm.AllReduce(BufferOf(complex), BufferOf(complex), ReduceOp::kMin, kTimeout)->Wait(),
        StatusIs(absl::StatusCode::kUnimplemented));
    EXPECT_THAT(comm.Barrier(kTimeout)->Wait(), IsOk());
    return refused;
  });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
  }
}

TEST_P(CommunicatorConformance, AbortEndsWhatRunsAndWhatComesLater) {
  const absl::Status why = absl::UnavailableError("rank 7 was lost");
  for (int r = 0; r < size(); ++r) world_->at(r).Abort(why);
  RunOk([&why](Communicator& comm, int) {
    EXPECT_EQ(comm.Barrier(kTimeout)->Wait(), why);
    return absl::OkStatus();
  });
}

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_COMM_CONFORMANCE_H_
