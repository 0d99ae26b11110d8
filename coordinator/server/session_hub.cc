#include "coordinator/server/session_hub.h"

#include <utility>

namespace muster::coordinator {

ConnectionId SessionHub::Add(StreamWriter* writer) {
  MonitorLock lock(&mu_);
  const ConnectionId connection(++last_connection_);
  streams_[connection] = writer;
  if (shut_down_.has_value()) writer->End(*shut_down_);
  return connection;
}

void SessionHub::Remove(ConnectionId connection) {
  MonitorLock lock(&mu_);
  streams_.erase(connection);
}

void SessionHub::AddWatcher(EndableStream* watcher) {
  MonitorLock lock(&mu_);
  watchers_.insert(watcher);
  if (shut_down_.has_value()) watcher->End(*shut_down_);
}

void SessionHub::RemoveWatcher(EndableStream* watcher) {
  MonitorLock lock(&mu_);
  watchers_.erase(watcher);
}

std::optional<CallId> SessionHub::AddCall(Answer answer) {
  absl::Status shut_down;
  {
    MonitorLock lock(&mu_);
    if (!shut_down_.has_value()) {
      const CallId call(++last_call_);
      calls_[call] = std::move(answer);
      return call;
    }
    shut_down = *shut_down_;
  }
  answer(shut_down, JobUid(), Generation());
  return std::nullopt;
}

void SessionHub::Publish(ConnectionId connection, Assignment assignment) {
  MonitorLock lock(&mu_);
  const auto stream = streams_.find(connection);
  if (stream != streams_.end()) stream->second->Send(std::move(assignment));
}

void SessionHub::Close(ConnectionId connection, absl::Status status) {
  MonitorLock lock(&mu_);
  const auto stream = streams_.find(connection);
  if (stream != streams_.end()) stream->second->End(status);
}

void SessionHub::Reply(CallId call, absl::Status status, JobUid job, Generation generation) {
  Answer answer;
  {
    MonitorLock lock(&mu_);
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
    MonitorLock lock(&mu_);
    shut_down_ = status;
    for (const auto& [connection, stream] : streams_) stream->End(status);
    for (EndableStream* watcher : watchers_) watcher->End(status);
    calls = std::exchange(calls_, {});
  }
  for (const auto& [call, answer] : calls) answer(status, JobUid(), Generation());
}

}  // namespace muster::coordinator
