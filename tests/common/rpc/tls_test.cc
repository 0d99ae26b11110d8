// Files, certificates and what is found out about a connection that does not come about.

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/rpc/diagnosis.h"
#include "common/rpc/endpoint.h"
#include "common/rpc/identity.h"
#include "common/support/throwaway_ca.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr absl::Duration kPatience = absl::Seconds(20);

int ModeOf(const std::string& path) {
  struct stat facts = {};
  return stat(path.c_str(), &facts) == 0 ? static_cast<int>(facts.st_mode & 07777) : -1;
}

// Two CAs that do not know each other, made before there is a thread.
class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    ours_ = *ThrowawayCa::Make(testing::TempDir());
    theirs_ = *ThrowawayCa::Make(testing::TempDir());
    coordinator_ = *ours_->Issue("coordinator", IdentityUri("t", {Role::kCoordinator, "", ""}));
    admin_ = *ours_->Issue("admin", IdentityUri("t", {Role::kAdmin, "", ""}));
    stranger_ = *theirs_->Issue("admin", IdentityUri("t", {Role::kAdmin, "", ""}));
  }
  void TearDown() override {
    if (server_ != nullptr) server_->Shutdown();
  }

  // Starts a server that nobody calls, and gives its address.
  std::string Serve(const TlsFiles& files) {
    grpc::ServerBuilder builder;
    SetServerDefaults(builder);
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", *MakeServerCredentials(files), &port);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    return absl::StrCat("127.0.0.1:", port);
  }

  std::unique_ptr<ThrowawayCa> ours_;
  std::unique_ptr<ThrowawayCa> theirs_;
  TlsFiles coordinator_;
  TlsFiles admin_;
  TlsFiles stranger_;
  grpc::CallbackGenericService service_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(TlsTest, OnlyTheOwnerReadsTheFilesAndTheFolderGoesInTheEnd) {
  const std::string folder = ours_->folder();
  EXPECT_EQ(ModeOf(folder), 0700);
  for (const std::string& path : {admin_.cert, admin_.key, admin_.ca}) {
    EXPECT_EQ(ModeOf(path), 0600) << path;
  }
  ours_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(TlsTest, WhatFilesLackIsSaidByName) {
  EXPECT_THAT(ReadTlsFiles({"", "", admin_.ca}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("certificate, private key"), Not(HasSubstr("key, CA")))));
  EXPECT_THAT(ReadTlsFiles({"/nowhere/a.crt", admin_.key, admin_.ca}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere/a.crt")));
  EXPECT_THAT(ReadTlsFiles(admin_), IsOk());
}

TEST_F(TlsTest, FilesThatHoldSomethingElseAreRefused) {
  EXPECT_THAT(ReadTlsFiles({admin_.key, admin_.key, admin_.ca}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no certificate")));
  EXPECT_THAT(ReadTlsFiles({admin_.cert, admin_.cert, admin_.ca}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no private key")));
  EXPECT_THAT(ReadTlsFiles({admin_.cert, admin_.key, admin_.key}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no CA")));
  EXPECT_THAT(ReadTlsFiles({admin_.cert, coordinator_.key, admin_.ca}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not belong")));
}

TEST_F(TlsTest, NothingIsFoundWhereBothSidesAgree) {
  EXPECT_THAT(DiagnoseTls(Serve(coordinator_), admin_, kPatience), IsOk());
}

TEST_F(TlsTest, NothingIsFoundWhereNobodyUsesTls) {
  EXPECT_THAT(DiagnoseTls(Serve({}), {}, kPatience), IsOk());
}

TEST_F(TlsTest, NothingIsFoundWhereNobodyListens) {
  const std::string address = Serve(coordinator_);
  server_->Shutdown();
  server_.reset();
  EXPECT_THAT(DiagnoseTls(address, admin_, kPatience), IsOk());
}

TEST_F(TlsTest, APlainClientIsToldToBringACertificate) {
  const absl::Status found = DiagnoseTls(Serve(coordinator_), {}, kPatience);
  EXPECT_THAT(found, StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("wants TLS")));
  EXPECT_NE(DetailOf(found)->remedy, "");
}

TEST_F(TlsTest, APlainServerIsFound) {
  EXPECT_THAT(DiagnoseTls(Serve({}), admin_, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("without TLS")));
}

TEST_F(TlsTest, AServerOfAnotherCaIsNotTrusted) {
  const TlsFiles mixed{admin_.cert, admin_.key, stranger_.ca};
  EXPECT_THAT(DiagnoseTls(Serve(coordinator_), mixed, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr(stranger_.ca)));
}

TEST_F(TlsTest, AClientOfAnotherCaIsToldThatItsCertificateIsNotTaken) {
  const TlsFiles mixed{stranger_.cert, stranger_.key, admin_.ca};
  EXPECT_THAT(DiagnoseTls(Serve(coordinator_), mixed, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       AllOf(HasSubstr("does not take"), HasSubstr(stranger_.cert))));
}

TEST_F(TlsTest, AServerThatIsNoCoordinatorIsFound) {
  EXPECT_THAT(DiagnoseTls(Serve(admin_), admin_, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("muster/admin")));
}

}  // namespace
}  // namespace muster
