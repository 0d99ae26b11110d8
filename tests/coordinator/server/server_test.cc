#include "coordinator/server/server.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <httplib.h>

#include <set>
#include <string>

#include "common/base/clock_reading.h"
#include "common/base/error_detail.h"
#include "tests/coordinator/server/listening.h"
#include "tests/coordinator/server/server_fixture.h"

namespace muster::coordinator {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

grpc::ByteBuffer Bytes(const std::string& text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

std::string Text(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  (void)buffer.Dump(&slices);
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// Sends one message to a method that takes any number of them, and gives the first answer. For
// services whose messages this program has no classes of.
absl::StatusOr<std::string> CallRaw(const std::string& address, const std::string& method,
                                    const std::string& request) {
  grpc::GenericStub stub(*MakeChannel(address, {}));
  grpc::CompletionQueue queue;
  PatientContext context;
  const auto call = stub.PrepareCall(&context, method, &queue);
  grpc::ByteBuffer reply;
  grpc::Status status;
  void* tag = nullptr;
  bool ok = false;
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  call->WriteLast(Bytes(request), {}, nullptr);
  queue.Next(&tag, &ok);
  call->Read(&reply, nullptr);
  queue.Next(&tag, &ok);
  const bool answered = ok;
  if (answered) context.TryCancel();
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  if (answered) return Text(reply);
  return FromGrpc(status);
}

// grpc.health.v1 and reflection by their wire forms, which are fixed for good.
absl::StatusOr<std::string> CheckHealth(const std::string& address, const std::string& service) {
  const std::string request = "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
  return CallRaw(address, "/grpc.health.v1.Health/Check", service.empty() ? "" : request);
}
constexpr char kServing[] = "\x08\x01";
constexpr char kListServices[] = {0x3a, 0x00};

Server::Options Everything(const std::string& address) {
  Server::Options options;
  options.worker_address = options.admin_address = address;
  options.health_http_address = options.health_grpc_address = address;
  return options;
}

TEST_F(ServerTest, HealthIsServedOnEveryPort) {
  Start(Everything("127.0.0.1:0"));
  for (const std::string& address :
       {server_->worker_address(), server_->admin_address(), server_->health_grpc_address()}) {
    for (const char* service : {"", "liveness", "readiness"}) {
      EXPECT_THAT(CheckHealth(address, service), IsOkAndHolds(kServing)) << address << service;
    }
    EXPECT_THAT(CheckHealth(address, "other"), StatusIs(absl::StatusCode::kNotFound));
  }
}

TEST_F(ServerTest, ReflectionNamesTheServices) {
  Start();
  const std::string request(kListServices, sizeof(kListServices));
  const char* method = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  EXPECT_THAT(CallRaw(server_->worker_address(), method, request),
              IsOkAndHolds(HasSubstr("muster.v1.WorkerService")));
  EXPECT_THAT(CallRaw(server_->admin_address(), method, request),
              IsOkAndHolds(HasSubstr("muster.v1.AdminService")));
}

TEST_F(ServerTest, ProbesAreAnsweredOverHttp) {
  for (const char* address : {"127.0.0.1:0", "[::1]:0"}) {
    Start(Everything(address));
    httplib::Client client("http://" + server_->health_http_address());
    for (const char* path : {"/livez", "/readyz"}) {
      const httplib::Result result = client.Get(path);
      ASSERT_TRUE(result) << address << path;
      EXPECT_EQ(result->status, 200);
      EXPECT_EQ(result->body, "ok\n");
    }
    const httplib::Result other = client.Get("/metrics");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->status, 404);
  }
}

TEST_F(ServerTest, EverySocketListensOnTheConfiguredAddressOnly) {
  ASSERT_THAT(ListeningAddresses(), testing::IsEmpty());
  for (const char* address : {"127.0.0.1:0", "127.0.0.9:0", "[::1]:0"}) {
    Start(Everything(address));
    const std::string host = std::string(address).substr(0, std::string(address).size() - 1);
    EXPECT_THAT(server_->worker_address(), testing::StartsWith(host));
    EXPECT_THAT(
        ListeningAddresses(),
        UnorderedElementsAre(server_->worker_address(), server_->admin_address(),
                             server_->health_http_address(), server_->health_grpc_address()));
    server_.reset();
    EXPECT_THAT(ListeningAddresses(), testing::IsEmpty());
  }
}

TEST_F(ServerTest, APortThatIsInUseIsRefusedAtOnceByName) {
  Start(Everything("127.0.0.1:0"));
  for (const std::string& taken :
       {server_->worker_address(), server_->admin_address(), server_->health_http_address(),
        server_->health_grpc_address()}) {
    for (std::string Server::Options::*field :
         {&Server::Options::worker_address, &Server::Options::admin_address,
          &Server::Options::health_http_address, &Server::Options::health_grpc_address}) {
      Server::Options options = Everything("127.0.0.1:0");
      options.*field = taken;
      const absl::Status status =
          Server::Start(std::make_unique<MemoryJournal>(), options).status();
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kAlreadyExists,
                                   HasSubstr(taken + ": the address is in use")));
      EXPECT_THAT(status, HasKind(ErrorKind::kAddressConflict));
    }
  }
}

TEST_F(ServerTest, AddressesThatCannotBeAreRefused) {
  for (const char* address : {"localhost:0", "127.0.0.1", "127.0.0.1:065536", "127.0.0.1:-1",
                              "[127.0.0.1]:0", "::1:0", ":0", ""}) {
    Server::Options options = Loopback();
    options.health_grpc_address = options.worker_address = address;
    EXPECT_FALSE(Server::Start(std::make_unique<MemoryJournal>(), options).ok()) << address;
  }
  Server::Options options = Loopback();
  options.health_grpc_address = "192.0.2.7:0";  // Reserved for examples: on no machine.
  EXPECT_THAT(Server::Start(std::make_unique<MemoryJournal>(), options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not of this machine")));
}

TEST_F(ServerTest, WithoutTlsOnlyLoopbackIsServed) {
  for (const char* address : {"0.0.0.0:0", "[::]:0"}) {
    Server::Options options = Loopback();
    options.worker_address = address;
    EXPECT_THAT(Server::Start(std::make_unique<MemoryJournal>(), options),
                StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr(address)));
    options = Loopback();
    options.admin_address = address;
    EXPECT_THAT(Server::Start(std::make_unique<MemoryJournal>(), options),
                StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr(address)));
  }
}

TEST_F(ServerTest, StopReturnsWhileStreamsAreOpen) {
  Start();
  const std::unique_ptr<v1::WorkerService::Stub> stub = Worker();
  PatientContext context;
  const std::unique_ptr<SessionCall> call = stub->Session(&context);
  ASSERT_TRUE(Greet(*call, HelloOf("w7", 42, 1)));
  v1::SessionReply reply;
  ASSERT_TRUE(call->Read(&reply));

  const MonotonicTime before = ReadMonotonicClock();
  server_->Stop();
  server_->Stop();
  EXPECT_LT(ReadMonotonicClock() - before, absl::Seconds(5));  // 2 s, on a machine under load.
  EXPECT_THAT(Apply(ApplyOf("wan", 2, "r1")), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace muster::coordinator
