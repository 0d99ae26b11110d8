#include "tests/testing/job_bed.h"

#include <grpcpp/client_context.h>

#include <thread>
#include <utility>

#include "common/base/check.h"
#include "common/rpc/status.h"
#include "common/wire/job_spec.h"
#include "coordinator/journal/memory/memory_journal.h"
#include "muster/v1/admin.grpc.pb.h"
#include "tests/testing/comm_world.h"

namespace muster {
namespace {

std::unique_ptr<v1::AdminService::Stub> AdminOf(const coordinator::Server& server) {
  auto channel = MakeChannel(server.admin_address(), {});
  MUSTER_CHECK(channel.ok(), channel.status().ToString());
  return v1::AdminService::NewStub(*channel);
}

}  // namespace

JobBed::JobBed() {
  coordinator::Server::Options options;
  options.worker_address = "127.0.0.1:0";
  options.admin_address = "127.0.0.1:0";
  auto server = coordinator::Server::Start(std::make_unique<coordinator::MemoryJournal>(), options);
  MUSTER_CHECK(server.ok(), server.status().ToString());
  server_ = *std::move(server);
}

JobBed::~JobBed() = default;

JobSpec JobBed::Spec(int32_t world, int32_t tp, absl::Duration recovery) {
  JobSpec spec;
  spec.name = "wan";
  spec.recovery = recovery;
  spec.layout.world_size = world;
  MeshSpec mesh;
  mesh.name = "dit";
  mesh.dims = {{"dp", world / tp}, {"tp", tp}};
  spec.layout.meshes = {mesh};
  return spec;
}

absl::Status JobBed::Apply(const JobSpec& spec) {
  v1::ApplyRequest request;
  request.set_request_id("apply-" + spec.name);
  *request.mutable_spec() = ToProto(spec);
  const auto admin = AdminOf(*server_);
  absl::Status status;
  (void)Eventually([&] {  // While it starts, it asks to come back.
    grpc::ClientContext context;
    v1::ApplyReply reply;
    status = FromGrpc(admin->Apply(&context, request, &reply));
    return !absl::IsUnavailable(status);
  });
  return status;
}

absl::Status JobBed::Delete(const std::string& job) {
  v1::DeleteRequest request;
  request.set_request_id("delete-" + job);
  request.set_job(job);
  grpc::ClientContext context;
  v1::DeleteReply reply;
  return FromGrpc(AdminOf(*server_)->Delete(&context, request, &reply));
}

JoinOptions JobBed::OptionsOf(int n) const {
  JoinOptions options;
  options.coordinator = server_->worker_address();
  options.job = "wan";
  options.worker = "w" + std::to_string(n);
  options.join_deadline = absl::Seconds(60);
  return options;
}

std::vector<absl::StatusOr<std::unique_ptr<Context>>> JobBed::JoinAll(int n) {
  std::vector<absl::StatusOr<std::unique_ptr<Context>>> joined(static_cast<size_t>(n));
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back(
        [this, i, &slot = joined[static_cast<size_t>(i)]] { slot = Join(OptionsOf(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  return joined;
}

std::vector<absl::Status> RunAll(const std::vector<Context*>& contexts,
                                 const std::function<absl::Status(Context&)>& body) {
  std::vector<absl::Status> statuses(contexts.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < contexts.size(); ++i) {
    threads.emplace_back(
        [&body, context = contexts[i], &status = statuses[i]] { status = body(*context); });
  }
  for (std::thread& thread : threads) thread.join();
  return statuses;
}

}  // namespace muster
