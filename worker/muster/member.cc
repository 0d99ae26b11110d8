#include "worker/muster/member.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/support/log.h"

namespace muster {
namespace {

// The job's deadlines bound the agent's farewell; this is for an agent that breaks its word.
constexpr absl::Duration kLeaveMax = absl::Minutes(2);

// The kind that `name` stands for, as "dit.sp" or "wan/dit.sp".
std::optional<int32_t> FindKind(const Layout& layout, std::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const std::vector<GroupKind>& kinds = layout.kinds();
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].name == name) return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

absl::Status NotAMember(const worker::LiveEpoch& live, std::string_view name) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kNotAMember;
  detail.job = live.info().spec->name;
  detail.group = std::string(name);
  detail.epoch = live.info().epoch;
  detail.ranks = {live.info().rank};
  return MakeError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("group '", ToAbsl(name), "': rank ", live.info().rank.value, " is not in it"),
      std::move(detail));
}

}  // namespace

Member::Member(const worker::AgentOptions& options, std::shared_ptr<grpc::Channel> channel,
               worker::SessionClient::Diagnosis diagnosis, GlooOptions gloo)
    : options_(options),
      backend_(std::move(gloo), &clock_),
      runner_(options, std::move(channel), std::move(diagnosis), &backend_, &clock_) {}

Member::~Member() {
  Leave();
  runner_.Stop();
}

absl::Status Member::WaitForFirstEpoch(absl::Duration within) {
  return MoveToEpochAfter(Epoch(), within);
}

std::shared_ptr<worker::LiveEpoch> Member::current() const {
  MonitorLock lock(&monitor_);
  return current_;
}

absl::Status Member::MoveToEpochAfter(Epoch epoch, absl::Duration within) {
  MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<worker::LiveEpoch> next,
                          runner_.registry().WaitForEpochAfter(epoch, clock_.Now() + within));
  MonitorLock lock(&monitor_);
  if (current_ == nullptr || next->info().epoch > current_->info().epoch) current_ = next;
  return absl::OkStatus();
}

absl::Status Member::state() const {
  const absl::Status gate = current()->gate().Check();
  if (gate.ok()) return gate;
  const std::optional<worker::Finished> finished = runner_.registry().finished();
  return finished.has_value() ? finished->status : gate;
}

absl::StatusOr<std::shared_ptr<GroupHandle>> Member::Group(std::string_view name) {
  const std::shared_ptr<worker::LiveEpoch> live = current();
  const Layout& layout = live->layout();
  const std::optional<int32_t> kind = FindKind(layout, name);
  if (kind.has_value()) {
    for (const auto& [id, slot] : live->groups()) {
      if (id.kind == *kind) return std::make_shared<GroupHandle>(slot);
    }
    return NotAMember(*live, name);
  }
  // One group by its name; a kind that is not there gets its error from the layout, too.
  const bool names_one = name.find('#') != std::string_view::npos;
  MUSTER_ASSIGN_OR_RETURN(
      const GroupId id,
      layout.Find(names_one ? std::string(name) : std::string(name).append("#0")));
  std::shared_ptr<worker::GroupSlot> slot = live->Find(id);
  if (slot == nullptr) return NotAMember(*live, name);
  return std::make_shared<GroupHandle>(std::move(slot));
}

std::vector<std::shared_ptr<GroupHandle>> Member::Groups() {
  std::vector<std::shared_ptr<GroupHandle>> handles;
  const std::shared_ptr<worker::LiveEpoch> live = current();
  for (const auto& [id, slot] : live->groups()) {
    handles.push_back(std::make_shared<GroupHandle>(slot));
  }
  return handles;
}

absl::Status Member::Recover(absl::Duration within) { return MoveToEpochAfter(epoch(), within); }

void Member::Leave() {
  runner_.RequestLeave();
  if (runner_.registry().WaitUntilEmpty(clock_.Now() + kLeaveMax)) return;
  Log(LogLevel::kError, "worker.leave_too_slow")
      .Job(options_.job)
      .Worker(options_.worker)
      .With("after_s", kLeaveMax);
}

int Member::exit_code() const {
  const std::optional<worker::Finished> finished = runner_.registry().finished();
  return finished.has_value() ? finished->exit_code : 0;
}

}  // namespace muster
