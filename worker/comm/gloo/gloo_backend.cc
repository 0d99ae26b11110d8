#include "worker/comm/gloo/gloo_backend.h"

#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "worker/comm/gloo/address.h"
#include "worker/comm/gloo/gloo_communicator.h"
#include "worker/comm/gloo/group_builder.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/gloo/sigpipe.h"
#include "worker/comm/gloo/wire.h"

namespace muster {
namespace {

absl::Status PlanError(const EpochPlan& plan, const NamedGroup& group, ErrorKind kind,
                       std::string_view message) {
  return MakeError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("gloo group '", group.name, "' epoch ", plan.epoch.value, ": ", ToAbsl(message)),
      ErrorDetail{.kind = kind,
                  .job = {},
                  .group = group.name,
                  .epoch = plan.epoch,
                  .ranks = {},
                  .workers = {},
                  .hosts = {},
                  .remedy = {}});
}

absl::Status CheckGroup(const EpochPlan& plan, const NamedGroup& group) {
  const GroupMembership& membership = group.membership;
  if (membership.size > kGlooGroupMax) {
    return PlanError(
        plan, group, ErrorKind::kLimitExceeded,
        absl::StrCat("has ", membership.size, " members, want at most ", kGlooGroupMax));
  }
  if (membership.size < 1 || membership.rank.value < 0 ||
      membership.rank.value >= membership.size) {
    return PlanError(plan, group, ErrorKind::kInvalidRequest,
                     absl::StrCat("this process has group rank ", membership.rank.value,
                                  ", want one below its size of ", membership.size));
  }
  return absl::OkStatus();
}

// What is open for one group until it is built.
struct PlannedGroup {
  NamedGroup group;
  std::unique_ptr<Mesh> mesh;  // Null for a group of one.
  bool tried = false;
};

class GlooEpoch final : public EpochEndpoints {
 public:
  GlooEpoch(EpochPlan plan, LanePool* lanes, const Clock* clock)
      : plan_(std::move(plan)), lanes_(lanes), clock_(clock) {}

  absl::Status Open(const Mesh::Host& host) {
    for (const NamedGroup& group : plan_.groups) {
      MUSTER_RETURN_IF_ERROR(CheckGroup(plan_, group));
      PlannedGroup& planned = groups_[group.membership.id];
      if (planned.group.membership.size != 0) {
        return PlanError(plan_, group, ErrorKind::kInvalidRequest, "is planned twice");
      }
      planned.group = group;
      if (group.membership.size == 1) continue;
      MUSTER_ASSIGN_OR_RETURN(planned.mesh,
                              Mesh::Open(host, group.membership.rank, group.membership.size));
      for (const GroupRank other : planned.mesh->others()) {
        endpoints_.push_back({.group = group.membership.id,
                              .from = group.membership.rank,
                              .to = other,
                              .bytes = planned.mesh->EndpointFor(other)});
      }
    }
    return absl::OkStatus();
  }

  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }

  absl::StatusOr<std::unique_ptr<Communicator>> Build(GroupId group, const std::vector<Peer>& peers,
                                                      absl::Duration deadline) override {
    const MonotonicTime until = clock_->Now() + deadline;
    const auto found = groups_.find(group);
    if (found == groups_.end() || found->second.tried) {
      return absl::InvalidArgumentError(
          absl::StrCat("build in epoch ", plan_.epoch.value, ": group ", group.kind, "#",
                       group.index, found == groups_.end() ? " is not planned" : " was tried"));
    }
    PlannedGroup& planned = found->second;
    planned.tried = true;
    std::unique_ptr<Mesh> mesh = std::move(planned.mesh);
    MUSTER_RETURN_IF_ERROR(SetBuilding(mesh.get()));
    absl::StatusOr<GroupFacts> facts = Connect(planned.group, mesh.get(), peers, until);
    MUSTER_RETURN_IF_ERROR(SetBuilding(nullptr));
    if (!facts.ok()) return facts.status();
    if (mesh != nullptr) WatchPeers(mesh.get(), *facts);
    return std::make_unique<GlooCommunicator>(*std::move(facts), plan_.call_checks, std::move(mesh),
                                              lanes_, clock_);
  }

  void Abort(absl::Status why) override {
    MonitorLock lock(&monitor_);
    if (!aborted_.has_value()) aborted_ = std::move(why);
    if (building_ != nullptr) building_->Close();
  }

 private:
  // Names what Abort() has to close. Gives its status if it came before.
  absl::Status SetBuilding(Mesh* mesh) {
    MonitorLock lock(&monitor_);
    building_ = aborted_.has_value() ? nullptr : mesh;
    return aborted_.value_or(absl::OkStatus());
  }

  absl::StatusOr<GroupFacts> Connect(const NamedGroup& group, Mesh* mesh,
                                     const std::vector<Peer>& peers, MonotonicTime until) {
    MUSTER_ASSIGN_OR_RETURN(GroupFacts facts, MakeFacts(plan_, group, peers));
    if (mesh == nullptr) return facts;
    MUSTER_ASSIGN_OR_RETURN(const auto addresses, AddressesOf(facts, peers, mesh->is_ipv6()));
    MUSTER_RETURN_IF_ERROR(
        ConnectAndProve(mesh, facts, addresses, plan_.call_checks, until, *clock_));
    return facts;
  }

  void WatchPeers(Mesh* mesh, const GroupFacts& facts) const {
    if (!plan_.on_peer_reset) return;
    mesh->SetLostPeerCallback(
        [tell = plan_.on_peer_reset, members = facts.members](GroupRank rank) {
          tell(members[static_cast<size_t>(rank.value)].rank);
        });
  }

  const EpochPlan plan_;
  LanePool* const lanes_;
  const Clock* const clock_;
  std::vector<Endpoint> endpoints_;
  std::map<GroupId, PlannedGroup> groups_;

  Monitor monitor_;
  std::optional<absl::Status> aborted_ ABSL_GUARDED_BY(monitor_);
  Mesh* building_ ABSL_GUARDED_BY(monitor_) = nullptr;
};

}  // namespace

GlooBackend::GlooBackend(GlooOptions options, const Clock* clock)
    : options_(std::move(options)), clock_(clock), lanes_(BlockSigpipe) {}

GlooBackend::~GlooBackend() = default;

absl::StatusOr<Mesh::Host> GlooBackend::OpenHost() {
  MonitorLock lock(&monitor_);
  if (watcher_ == nullptr) {
    MUSTER_ASSIGN_OR_RETURN(const SocketAddress address, SocketAddress::Parse(options_.address, 0));
    MUSTER_ASSIGN_OR_RETURN(device_, Device::Open(address));
    try {
      watcher_ = std::make_unique<Watcher>(clock_);
    } catch (const std::system_error& error) {
      return absl::ResourceExhaustedError(absl::StrCat("no thread to watch peers: ", error.what()));
    }
  }
  return Mesh::Host{.device = device_.get(), .watcher = watcher_.get(), .clock = clock_};
}

absl::StatusOr<std::unique_ptr<EpochEndpoints>> GlooBackend::OpenEndpoints(EpochPlan plan) {
  MUSTER_ASSIGN_OR_RETURN(const Mesh::Host host, OpenHost());
  auto epoch = std::make_unique<GlooEpoch>(std::move(plan), &lanes_, clock_);
  MUSTER_RETURN_IF_ERROR(epoch->Open(host));
  return epoch;
}

}  // namespace muster
