#include "tests/simulation/checkers/publish_check.h"

#include <algorithm>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "tests/simulation/checkers/epoch_check.h"
#include "tests/simulation/describe.h"

namespace muster::sim {

void PublishCheck::Break(const Assignment& assignment, const std::string& what) {
  verdict_.Break("nothing is published before it is journalled",
                 absl::StrCat(what, ": ", Describe(assignment)));
}

void PublishCheck::OnPublish(const coordinator::Publish& publish) {
  const Assignment& assignment = publish.assignment;
  CheckOrigin(assignment);
  if (assignment.committed.value != 0) CheckCommitted(assignment);
  if (assignment.attempt.has_value()) CheckAttempt(assignment);
  CheckRevision(publish);
}

void PublishCheck::CheckOrigin(const Assignment& assignment) {
  if (assignment.store != journal_.store()) Break(assignment, "another store");
  if (assignment.term != journal_.term()) Break(assignment, "a term that is not written");
  const coordinator::JobAccepted* job = journal_.JobOf(assignment.job);
  if (job == nullptr || assignment.spec == nullptr || *assignment.spec != job->spec ||
      assignment.generation != job->generation) {
    Break(assignment, "a spec that is not written");
  }
  if (assignment.deleted && !journal_.IsDeleted(assignment.job)) {
    Break(assignment, "a deletion that is not written");
  }
}

void PublishCheck::CheckCommitted(const Assignment& assignment) {
  const coordinator::EpochCommitted* commit =
      journal_.CommitOf({assignment.job, assignment.committed});
  const auto rank = static_cast<size_t>(assignment.committed_rank.value);
  if (commit == nullptr || rank >= commit->members.size() ||
      commit->members[rank].incarnation != assignment.to) {
    return Break(assignment, "a commit that is not written");
  }
  for (const LostMember& lost : assignment.lost) {
    const auto at = static_cast<size_t>(lost.rank.value);
    if (at >= commit->members.size() || commit->members[at].incarnation != lost.incarnation) {
      verdict_.Break("a loss is that of a member", Describe(assignment));
    }
  }
}

void PublishCheck::CheckAttempt(const Assignment& assignment) {
  const AttemptView& attempt = *assignment.attempt;
  if (!journal_.IsReserved({assignment.job, attempt.epoch})) {
    Break(assignment, "an epoch that is not reserved");
  }
  const bool committed_already = journal_.CommitOf({assignment.job, attempt.epoch}) != nullptr;
  if (committed_already && attempt.step == AttemptStep::kRollback) {
    verdict_.Break("a committed epoch is not rolled back", Describe(assignment));
  }
  epochs_.OnAttemptPublished({assignment.job, attempt.epoch}, attempt.rank, assignment.to);
  if (attempt.step == AttemptStep::kRollback) {
    epochs_.OnRollbackPublished({assignment.job, attempt.epoch});
  }
  for (const Peer& peer : attempt.peers) {
    epochs_.OnAttemptPublished({assignment.job, attempt.epoch}, peer.global_rank, peer.incarnation);
  }
}

void PublishCheck::CheckRevision(const coordinator::Publish& publish) {
  // What is there for people, and questions that are answered by now, may differ.
  Assignment assignment = publish.assignment;
  assignment.waiting_for.clear();
  assignment.ping = 0;
  const uint64_t digest =
      Digest(coordinator::Effect(coordinator::Publish{ConnectionId(), std::move(assignment)}));
  const std::pair<Revision, uint64_t> now(publish.assignment.revision, digest);
  const auto [it, first] = published_.emplace(publish.assignment.to, now);
  if (first) return;
  const bool same = it->second.first == now.first && it->second.second == now.second;
  if (!same && now.first <= it->second.first) {
    verdict_.Break("a revision means one thing", Describe(publish.assignment));
  }
  it->second = now;
}

// A member that is told that its job is deleted gives everything back.
void PublishCheck::OnClose(const coordinator::Event& event, const coordinator::CloseStream& close) {
  const auto* hello = std::get_if<coordinator::HelloReceived>(&event);
  const auto detail = DetailOf(close.status);
  if (hello == nullptr || hello->connection != close.connection || !detail.has_value()) return;
  if (detail->kind != ErrorKind::kJobDeleted || absl::IsUnavailable(close.status)) return;
  const JobUid job = hello->hello.report.job;
  if (journal_.JobOf(job) == nullptr || journal_.IsDeleted(job)) return;
  verdict_.Break("nothing is published before it is journalled",
                 absl::StrCat("a deletion that is not written: ", DescribeStatus(close.status)));
}

void PublishCheck::OnReply(const coordinator::Reply& reply) {
  if (!reply.status.ok() || journal_.JobOf(reply.job) != nullptr) return;
  verdict_.Break("nothing is answered before it is journalled",
                 absl::StrCat("call ", reply.call.value));
}

void PublishCheck::OnWrite(const coordinator::JournalRecord& record) {
  const auto* commit = std::get_if<coordinator::EpochCommitted>(&record);
  if (commit == nullptr) return;
  const coordinator::JobAccepted* job = journal_.JobOf(commit->job);
  for (size_t rank = 0; job != nullptr && rank < commit->members.size(); ++rank) {
    const GlobalRank member(static_cast<int32_t>(rank));
    if (epochs_.HasBuilt(*commit, member)) continue;
    verdict_.Break("nothing is committed before all have built it",
                   absl::StrCat("epoch ", commit->epoch.value, " without rank ", rank));
  }
}

}  // namespace muster::sim
