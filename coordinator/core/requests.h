#ifndef MUSTER_COORDINATOR_CORE_REQUESTS_H_
#define MUSTER_COORDINATOR_CORE_REQUESTS_H_

#include "coordinator/core/state.h"

// What admins ask for. Each request has an id; a retry with the same id gets the answer of the
// first time, also from a later run of the coordinator. Answers come after the journal's.
namespace muster::coordinator {

// Replies:
//   OK                   the job exists as asked for; uid and generation are given
//   kInvalidArgument     the spec, the request id, or an id used for something else
//   (request_conflict) kAlreadyExists       a job of this name exists with another spec; both are
//   described kAborted             `if_epoch` is not the job's epoch; the current one is in the
//   detail kResourceExhausted   too many jobs, or the journal is full kUnavailable         a job of
//   this name is being deleted
void OnApply(Context& context, const ApplyRequested& event);

// Replies:
//   OK                   the deletion is journalled; workers are giving everything back
//   kInvalidArgument     as above
//   kNotFound            no job of this name
//   kAborted             as above
//   kResourceExhausted   the journal is full
void OnDelete(Context& context, const DeleteRequested& event);

// Answers of the journal.
void OnAccepted(Context& context, const JobAccepted& record, JournalResult result);
void OnDeleted(Context& context, const JobDeleted& record, JournalResult result);

// Forgets a deleted job once its workers have given everything back or their time is up.
void JudgeDeletion(Context& context, JobUid uid);

// Remembers how a request ended; the oldest are forgotten.
void RememberFinished(State& state, const std::string& request_id);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_REQUESTS_H_
