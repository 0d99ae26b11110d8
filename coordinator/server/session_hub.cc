#include "coordinator/server/session_hub.h"

#include <utility>

namespace muster::coordinator {

ConnectionId SessionHub::Add(StreamWriter* writer) {
  absl::MutexLock lock(&mu_);
  const ConnectionId connection(++last_connection_);
  streams_[connection] = writer;
  return connection;
}

void SessionHub::Remove(ConnectionId connection) {
  absl::MutexLock lock(&mu_);
  streams_.erase(connection);
}

CallId SessionHub::AddCall(Answer answer) {
  absl::MutexLock lock(&mu_);
  const CallId call(++last_call_);
  calls_[call] = std::move(answer);
  return call;
}

void SessionHub::DropCall(CallId call) {
  absl::MutexLock lock(&mu_);
  calls_.erase(call);
}

void SessionHub::Publish(ConnectionId connection, Assignment assignment) {
  absl::MutexLock lock(&mu_);
  const auto stream = streams_.find(connection);
  if (stream != streams_.end()) stream->second->Send(std::move(assignment));
}

void SessionHub::Close(ConnectionId connection, absl::Status status) {
  absl::MutexLock lock(&mu_);
  const auto stream = streams_.find(connection);
  if (stream != streams_.end()) stream->second->End(status);
}

void SessionHub::Reply(CallId call, absl::Status status, JobUid job, Generation generation) {
  Answer answer;
  {
    absl::MutexLock lock(&mu_);
    const auto it = calls_.find(call);
    if (it == calls_.end()) return;
    answer = std::move(it->second);
    calls_.erase(it);
  }
  answer(status, job, generation);
}

void SessionHub::Shutdown(const absl::Status& status) {
  std::map<CallId, Answer> calls;
  {
    absl::MutexLock lock(&mu_);
    for (const auto& [connection, stream] : streams_) stream->End(status);
    calls = std::exchange(calls_, {});
  }
  for (const auto& [call, answer] : calls) answer(status, JobUid(), Generation());
}

}  // namespace muster::coordinator
