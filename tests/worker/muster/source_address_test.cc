#include "worker/muster/source_address.h"

#include "common/base/error_detail.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

TEST(SourceAddressTest, LoopbackIsReachedFromLoopback) {
  EXPECT_THAT(SourceAddressTo("127.0.0.1:0"), IsOkAndHolds("127.0.0.1"));
}

TEST(SourceAddressTest, WhatIsNoAddressIsRefused) {
  for (const char* wrong : {"", "host", ":7070", "host:"}) {
    EXPECT_THAT(SourceAddressTo(wrong), StatusIs(absl::StatusCode::kInvalidArgument)) << wrong;
    EXPECT_THAT(SourceAddressTo(wrong), HasKind(ErrorKind::kConfigInvalid)) << wrong;
  }
}

}  // namespace
}  // namespace muster
