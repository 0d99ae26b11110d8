#include "worker/ops/dlpack.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/ops/strided_memory.h"

namespace muster {
namespace {

using testing::HasSubstr;

// A tensor of another library, which counts how often it is given back.
struct Foreign {
  std::vector<int32_t> data = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> shape = {2, 3};
  std::vector<int64_t> strides = {3, 1};
  int given_back = 0;
  dlpack::ManagedTensor managed = {};

  Foreign() {
    managed.view = {.data = data.data(),
                    .device = {.kind = 1, .index = 0},
                    .dims = 2,
                    .dtype = {.code = 0, .bits = 32, .lanes = 1},
                    .shape = shape.data(),
                    .strides = strides.data(),
                    .byte_offset = 0};
    managed.manager = this;
    managed.deleter = [](dlpack::ManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager)->given_back;
    };
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
};

TEST(DlpackTest, AForeignTensorIsViewedAndGivenBackOnce) {
  Foreign foreign;
  {
    const auto tensor = FromDlpack(&foreign.managed);
    ASSERT_THAT(tensor, IsOk());
    EXPECT_EQ(static_cast<void*>(tensor->data()), foreign.data.data());
    EXPECT_EQ(Compare(*tensor, Numbered({2, 3}, 1), DType::kInt32), "");
    const Tensor view = *tensor->Narrow(1, 1, 1);
    EXPECT_EQ(foreign.given_back, 0);
  }
  EXPECT_EQ(foreign.given_back, 1);
}

TEST(DlpackTest, OffsetsStridesAndTheirAbsenceAreUnderstood) {
  Foreign foreign;
  foreign.managed.view.byte_offset = 4;
  foreign.shape = {2, 2};
  foreign.strides = {1, 3};
  EXPECT_EQ(Compare(*FromDlpack(&foreign.managed), {{2, 2}, {2, 5, 3, 6}}, DType::kInt32), "");
  foreign.managed.view.strides = nullptr;
  EXPECT_EQ(Compare(*FromDlpack(&foreign.managed), {{2, 2}, {2, 3, 4, 5}}, DType::kInt32), "");
  foreign.managed.view.dims = 0;
  foreign.managed.view.shape = nullptr;
  EXPECT_EQ(Compare(*FromDlpack(&foreign.managed), {{}, {2}}, DType::kInt32), "");
}

TEST(DlpackTest, ATensorWithoutADeleterIsTaken) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_THAT(FromDlpack(&foreign.managed), IsOk());
}

TEST(DlpackTest, WhatIsRefusedStaysTheCallers) {
  Foreign foreign;
  const auto refused = [&foreign](absl::StatusCode code, const char* text, auto&& change) {
    const dlpack::View good = foreign.managed.view;
    change(foreign.managed.view);
    EXPECT_THAT(FromDlpack(&foreign.managed), StatusIs(code, HasSubstr(text)));
    foreign.managed.view = good;
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  refused(kUnimplemented, "2 lanes", [](dlpack::View& view) { view.dtype.lanes = 2; });
  refused(kUnimplemented, "16 bits", [](dlpack::View& view) { view.dtype.bits = 16; });
  refused(kUnimplemented, "code 3", [](dlpack::View& view) { view.dtype.code = 3; });
  refused(kUnimplemented, "kind 10", [](dlpack::View& view) { view.device.kind = 10; });
  refused(kInvalid, "dimensions", [](dlpack::View& view) { view.dims = -1; });
  refused(kInvalid, "dimensions", [](dlpack::View& view) { view.dims = 65; });
  refused(kInvalid, "no shape", [](dlpack::View& view) { view.shape = nullptr; });
  refused(kInvalid, "no memory", [](dlpack::View& view) { view.data = nullptr; });
  foreign.strides = {-3, 1};
  refused(kInvalid, "stride -3", [](dlpack::View&) {});
  EXPECT_THAT(FromDlpack(nullptr), StatusIs(kInvalid));
  EXPECT_EQ(foreign.given_back, 0);
}

TEST(DlpackTest, PinnedMemoryIsOnTheHostAndCudaMemoryIsNot) {
  Foreign foreign;
  foreign.managed.view.device = {.kind = 3, .index = 1};
  EXPECT_EQ(FromDlpack(&foreign.managed)->device(), TensorDevice{});
  foreign.managed.view.device = {.kind = 2, .index = 5};
  EXPECT_EQ(FromDlpack(&foreign.managed)->device(),
            (TensorDevice{.kind = DeviceKind::kCuda, .index = 5}));
}

TEST(DlpackTest, EveryTypeAndViewComesBackAsItWent) {
  for (const DType dtype : kAllDTypes) {
    const Dense dense = Numbered({2, 3, 4}, 1);
    const StridedMemory memory(dense, dtype, Lie::kBoth);
    const auto back = FromDlpack(ToDlpack(memory.tensor()));
    ASSERT_THAT(back, IsOk());
    EXPECT_EQ(back->data(), memory.tensor().data());
    EXPECT_EQ(back->strides(), memory.tensor().strides());
    EXPECT_EQ(Compare(*back, dense, dtype), "");
  }
}

TEST(DlpackTest, AnExportedTensorKeepsItsMemoryUntilItIsGivenBack) {
  auto tensor = Tensor::Allocate({DType::kInt8, {4}});
  ASSERT_THAT(tensor, IsOk());
  const std::weak_ptr<const void> watched = tensor->owner();
  dlpack::ManagedTensor* const exported = ToDlpack(*tensor);
  *tensor = Tensor();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(exported->view.dtype.bits, 8);
  exported->deleter(exported);
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace muster
