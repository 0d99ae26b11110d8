#include "coordinator/server/why_view.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"
#include "common/wire/text.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/tracing.h"
#include "coordinator/core/transition.h"
#include "coordinator/server/status_view.h"
#include "coordinator/server/verdict_view.h"
#include "google/protobuf/util/time_util.h"

namespace muster::coordinator {
namespace {

constexpr int kAbsenteesMax = 1000;
constexpr int kSentencesMax = 64;
constexpr size_t kSentenceBytesMax = 1024;

std::string CauseText(LossCause cause) {
  switch (cause) {
    case LossCause::kExit:
      return "its process ended";
    case LossCause::kSuperseded:
      return "a newer process took its place";
    case LossCause::kLeft:
      return "it left";
    case LossCause::kReset:
      return "its connection was reset";
    case LossCause::kSilence:
      return "it fell silent";
    case LossCause::kEarlier:
      return "the epoch was over before this coordinator started";
  }
  return "";
}

std::string LostSentence(const LostMember& lost, Epoch epoch, bool first) {
  std::string text = absl::StrCat(first ? "" : "also lost: ", "rank ", lost.rank.value, " (worker ",
                                  lost.worker, " on ", lost.hostname, ") was lost");
  if (first) absl::StrAppend(&text, ", which ended epoch ", epoch.value);
  absl::StrAppend(&text, ": ", CauseText(lost.cause), ", last heard ",
                  absl::FormatDuration(absl::Trunc(lost.silent_for, absl::Milliseconds(1))),
                  " before");
  if (!lost.doing.empty()) absl::StrAppend(&text, ", it was in ", lost.doing);
  return text;
}

std::string AwaitedSentence(const LostMember& member) {
  return absl::StrCat("worker ", member.worker, " on ", member.hostname, ", for rank ",
                      member.rank.value, ", was lost: ", CauseText(member.cause));
}

std::string PhaseSentence(const Attempt& attempt) {
  std::string epoch = absl::StrCat("epoch ", attempt.epoch.value);
  const std::string waiting = FormatIdRanges(attempt.waiting, 16);
  switch (attempt.phase) {
    case AttemptPhase::kReserving:
      return epoch + " waits for the journal to reserve it";
    case AttemptPhase::kPreparing:
      return epoch + " is being prepared; not there yet: ranks " + waiting;
    case AttemptPhase::kBuilding:
      return epoch + " is being built; not there yet: ranks " + waiting;
    case AttemptPhase::kCommitting:
      return epoch + " waits for the journal to commit it";
    case AttemptPhase::kRollingBack:
      return absl::StrCat(epoch, " is being rolled back (", attempt.cause,
                          "); not there yet: ranks ", waiting);
  }
  return epoch;
}

// The ranks that `request` asks about: all, those of one group, or one worker's.
absl::StatusOr<std::vector<GlobalRank>> Subject(const Job& job, const v1::WhyRequest& request) {
  ErrorDetail detail;
  detail.job = job.spec->name;
  if (request.has_group()) {
    const absl::StatusOr<GroupId> id = job.layout->Find(request.group());
    if (id.ok()) return job.layout->Members(*id);
    detail.kind = ErrorKind::kUnknownGroup;
    return MakeError(absl::StatusCode::kNotFound, std::string(id.status().message()), detail);
  }
  std::vector<GlobalRank> ranks;
  const std::vector<WorkerId> seats = job.seats.empty() ? SeatsForAttempt(job) : job.seats;
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    if (request.has_worker() && seats[rank] != request.worker()) continue;
    ranks.push_back(GlobalRank(static_cast<int32_t>(rank)));
  }
  if (!ranks.empty() || !request.has_worker() || job.workers.contains(request.worker())) {
    return ranks;
  }
  detail.kind = ErrorKind::kUnknownWorker;
  return MakeError(
      absl::StatusCode::kNotFound,
      absl::StrCat("job '", job.spec->name, "' has no worker '", request.worker(), "'"), detail);
}

std::string Hint(const Worker& worker) {
  switch (worker.presence) {
    case Presence::kConnected:
      return "it is connected: look at its log";
    case Presence::kDetached:
    case Presence::kSuspect:
      return "its stream is down: look at the process and the network";
    case Presence::kAwaited:
      return "not seen since the coordinator started";
    case Presence::kLost:
      return "start it again under the same worker id";
  }
  return "";
}

void AddAbsentee(const Job& job, GlobalRank rank, const std::vector<WorkerId>& seats,
                 MonotonicTime now, v1::WhyReply* reply) {
  if (reply->missing_size() >= kAbsenteesMax) {
    reply->set_more_missing(reply->more_missing() + 1);
    return;
  }
  v1::Absentee* absentee = reply->add_missing();
  absentee->set_rank(rank.value);
  const WorkerId& id = seats[static_cast<size_t>(rank.value)];
  absentee->set_worker(id);
  const auto worker = job.workers.find(id);
  if (worker == job.workers.end()) {
    absentee->set_hint(id.empty() ? "no worker has come for it" : "its worker has not come back");
    return;
  }
  absentee->set_hostname(worker->second.host.hostname);
  const absl::Duration silent = std::max(absl::ZeroDuration(), now - worker->second.last_heard);
  *absentee->mutable_silent_for() =
      google::protobuf::util::TimeUtil::NanosecondsToDuration(absl::ToInt64Nanoseconds(silent));
  absentee->set_doing(FitText(worker->second.report.doing, 512));
  absentee->set_hint(Hint(worker->second));
}

void AddSentences(const Job& job, const std::vector<Verdict>& verdicts, v1::WhyReply* reply) {
  std::vector<std::string> sentences;
  if (job.deleted) sentences.push_back("the job was deleted; its workers give everything back");
  if (job.committed.has_value()) {
    for (size_t i = 0; i < job.committed->lost.size(); ++i) {
      sentences.push_back(LostSentence(job.committed->lost[i], job.committed->epoch, i == 0));
    }
  }
  for (const Verdict& verdict : verdicts) sentences.push_back(VerdictSentence(verdict));
  if (job.attempt.has_value()) sentences.push_back(PhaseSentence(*job.attempt));
  if (const std::string waiting = WaitingFor(job); !waiting.empty()) sentences.push_back(waiting);
  for (const LostMember& member : AwaitedMembers(job)) sentences.push_back(AwaitedSentence(member));
  for (const Zombie& zombie : job.zombies) {
    sentences.push_back(absl::StrCat("device ", zombie.device.uuid,
                                     " may still be held by an older ", "process of ",
                                     zombie.worker, " (pid ", zombie.host.pid, ")"));
  }
  if (sentences.size() > kSentencesMax) sentences.resize(kSentencesMax);
  for (const std::string& sentence : sentences) {
    reply->add_sentences(FitText(sentence, kSentenceBytesMax));
  }
}

}  // namespace

ReadyState JobReadiness(const Job& job) {
  if (job.deleted) return {false, "Deleted", "the job was deleted"};
  if (!job.committed.has_value()) return {false, "Forming", WaitingFor(job)};
  const Committed& committed = *job.committed;
  if (!committed.lost.empty()) {
    return {false, "MemberLost", LostSentence(committed.lost[0], committed.epoch, true)};
  }
  if (!committed.not_active.empty()) {
    return {false, "Activating",
            absl::StrCat("waiting for ranks ", FormatIdRanges(committed.not_active, 16))};
  }
  return {true, "Active", ""};
}

bool IsActive(const Job& job, GlobalRank rank) {
  if (!job.committed.has_value() || job.deleted) return false;
  const Committed& committed = *job.committed;
  if (!committed.lost.empty()) {
    // The epoch is over for all; those who are still there are not the ones to wait for.
    return std::none_of(committed.lost.begin(), committed.lost.end(),
                        [&](const LostMember& lost) { return lost.rank == rank; });
  }
  return !committed.not_active.contains(rank);
}

absl::StatusOr<v1::WhyReply> ViewWhy(const Job& job, const v1::WhyRequest& request,
                                     MonotonicTime now) {
  const absl::StatusOr<std::vector<GlobalRank>> subject = Subject(job, request);
  if (!subject.ok()) return subject.status();
  v1::WhyReply reply;
  const std::vector<Verdict> verdicts = Verdicts(job, now);
  ReadyState ready = JobReadiness(job);
  if (ready.ready && !verdicts.empty()) {
    ready = {false, "GroupInTrouble", VerdictSentence(verdicts.front())};
  }
  reply.mutable_ready()->set_type(v1::CONDITION_TYPE_READY);
  reply.mutable_ready()->set_value(ready.ready ? v1::CONDITION_VALUE_TRUE
                                               : v1::CONDITION_VALUE_FALSE);
  reply.mutable_ready()->set_reason(ready.reason);
  reply.mutable_ready()->set_message(FitText(ready.message, kSentenceBytesMax));
  if (job.committed.has_value()) reply.set_epoch(job.committed->epoch.value);
  if (job.attempt.has_value()) *reply.mutable_attempt() = ViewAttempt(*job.attempt, now);
  for (const Verdict& verdict : verdicts) *reply.add_verdicts() = ViewVerdict(verdict);
  AddSentences(job, verdicts, &reply);

  const std::vector<WorkerId> seats = SeatsForAttempt(job);
  for (const GlobalRank rank : *subject) {
    const auto holder = job.workers.find(seats[static_cast<size_t>(rank.value)]);
    const bool here = holder != job.workers.end() && IsEligible(job, holder->second);
    const bool late = job.attempt.has_value() && job.attempt->waiting.contains(rank);
    const bool inactive = job.committed.has_value() && !IsActive(job, rank);
    if (!here || late || inactive) AddAbsentee(job, rank, seats, now, &reply);
  }
  return reply;
}

}  // namespace muster::coordinator
