#include "common/base/error_detail.h"
#include "common/rpc/endpoint.h"
#include "common/rpc/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

TEST(CheckPlainAllowedTest, LoopbackIsAllowed) {
  for (const char* address :
       {"127.0.0.1:7", "127.255.0.9:7", "localhost:7", "[::1]:7", "unix:/run/muster"}) {
    EXPECT_THAT(CheckPlainAllowed(address), IsOk()) << address;
  }
}

TEST(CheckPlainAllowedTest, EverythingElseIsRefusedByName) {
  for (const char* address : {"10.0.0.7:7", "0.0.0.0:7", "[::]:7", "[fd00::2]:7", "gpu-7:7",
                              "127.example.org:7", "localhost.example.org:7", "128.0.0.1:7", ""}) {
    EXPECT_THAT(CheckPlainAllowed(address),
                StatusIs(absl::StatusCode::kPermissionDenied, testing::HasSubstr(address)));
  }
}

TEST(MakeChannelTest, APlainChannelBeyondLoopbackIsRefused) {
  EXPECT_THAT(MakeChannel("10.0.0.7:7", {}), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(MakeChannel("127.0.0.1:7", {}), IsOk());
}

TEST(RpcStatusTest, CodeMessageAndDetailGoThereAndBack) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kSeatTaken;
  detail.job = "wan";
  detail.ranks = {GlobalRank(3), GlobalRank(5)};
  detail.remedy = "take another";
  const absl::Status status = MakeError(absl::StatusCode::kFailedPrecondition, "seat 3", detail);
  const absl::Status back = FromGrpc(ToGrpc(status));
  EXPECT_THAT(back, StatusIs(absl::StatusCode::kFailedPrecondition, "seat 3"));
  EXPECT_EQ(DetailOf(back), detail);
  EXPECT_THAT(FromGrpc(ToGrpc(absl::OkStatus())), IsOk());
}

TEST(RpcStatusTest, WhatTheTransportSaysKeepsCodeAndText) {
  const absl::Status status = FromGrpc(grpc::Status(grpc::UNAVAILABLE, "Socket closed"));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, "Socket closed"));
  EXPECT_EQ(DetailOf(status), std::nullopt);
}

}  // namespace
}  // namespace muster
