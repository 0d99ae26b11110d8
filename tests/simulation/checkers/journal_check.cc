#include "tests/simulation/checkers/journal_check.h"

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"

namespace muster::sim {
namespace {

constexpr std::string_view kOnce = "an epoch number is used once";

}  // namespace

void JournalCheck::OnRunStarted(const coordinator::JournalContents& contents) {
  known_ = {};
  known_.store = contents.store;
  for (const coordinator::JournalRecord& record : contents.records) OnAnswered(record);
}

void JournalCheck::OnAnswered(const coordinator::JournalRecord& record) {
  if (const auto* term = std::get_if<coordinator::TermStarted>(&record)) {
    known_.term = term->term;
  } else if (const auto* accepted = std::get_if<coordinator::JobAccepted>(&record)) {
    known_.jobs.emplace(accepted->job, *accepted);
  } else if (const auto* reserved = std::get_if<coordinator::EpochReserved>(&record)) {
    known_.reserved.emplace(reserved->job, reserved->epoch);
  } else if (const auto* committed = std::get_if<coordinator::EpochCommitted>(&record)) {
    known_.committed.emplace(JobEpoch(committed->job, committed->epoch), *committed);
  } else if (const auto* deleted = std::get_if<coordinator::JobDeleted>(&record)) {
    known_.deleted.insert(deleted->job);
  }
}

void JournalCheck::OnDurable(const coordinator::JournalRecord& record) {
  if (const auto* reserved = std::get_if<coordinator::EpochReserved>(&record)) {
    Epoch& highest = highest_[reserved->job];
    if (reserved->epoch <= highest) {
      verdict_.Break(kOnce, absl::StrCat("epoch ", reserved->epoch.value, " is reserved after ",
                                         highest.value));
    }
    highest = reserved->epoch;
  } else if (const auto* committed = std::get_if<coordinator::EpochCommitted>(&record)) {
    CheckCommit(*committed);
  }
}

void JournalCheck::CheckCommit(const coordinator::EpochCommitted& record) {
  std::set<Incarnation> incarnations;
  std::set<WorkerId> workers;
  for (const coordinator::CommittedMember& member : record.members) {
    incarnations.insert(member.incarnation);
    workers.insert(member.worker);
  }
  if (incarnations.size() != record.members.size() || workers.size() != record.members.size()) {
    verdict_.Break("one holder per seat",
                   absl::StrCat("epoch ", record.epoch.value, " has one member twice"));
  }
  const auto highest = highest_.find(record.job);
  if (highest == highest_.end() || highest->second != record.epoch) {
    verdict_.Break(kOnce, absl::StrCat("epoch ", record.epoch.value,
                                       " is committed, but not the newest that is reserved"));
  }
  if (!durable_.emplace(JobEpoch(record.job, record.epoch), record).second) {
    verdict_.Break(kOnce, absl::StrCat("epoch ", record.epoch.value, " is committed twice"));
  }
}

void JournalCheck::OnWiped() { highest_.clear(); }

const coordinator::EpochCommitted* JournalCheck::CommitOf(JobEpoch epoch) const {
  const auto it = known_.committed.find(epoch);
  return it == known_.committed.end() ? nullptr : &it->second;
}

const coordinator::JobAccepted* JournalCheck::JobOf(JobUid job) const {
  const auto it = known_.jobs.find(job);
  return it == known_.jobs.end() ? nullptr : &it->second;
}

const coordinator::EpochCommitted* JournalCheck::DurableCommitOf(JobEpoch epoch) const {
  const auto it = durable_.find(epoch);
  return it == durable_.end() ? nullptr : &it->second;
}

}  // namespace muster::sim
