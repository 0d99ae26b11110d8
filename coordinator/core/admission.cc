#include "coordinator/core/admission.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"

namespace muster::coordinator {
namespace {

absl::Status Refuse(absl::StatusCode code, ErrorKind kind, const std::string& message,
                    const Hello& hello, std::string remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.job = hello.job;
  detail.workers = {hello.worker};
  detail.hosts = {hello.host.hostname};
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

bool IsLive(const Worker& worker) { return worker.presence != Presence::kLost; }

bool InDoubt(const Worker& worker) {
  return worker.presence == Presence::kSuspect || worker.presence == Presence::kAwaited;
}

std::string Describe(const Worker& worker) {
  return absl::StrCat("worker '", worker.id, "' on ", worker.host.hostname);
}

// The live worker named `id`, if it is not the one that says `hello`.
const Worker* FindOther(const Job& job, const Hello& hello, const WorkerId& id) {
  if (id == hello.worker) return nullptr;
  const auto it = job.workers.find(id);
  return it == job.workers.end() || !IsLive(it->second) ? nullptr : &it->second;
}

// The other live worker that holds the device of `hello`; that asked for the same rank.
const Worker* FindDeviceHolder(const Job& job, const Hello& hello) {
  const auto claim = job.device_claims.find({hello.host.host_id, hello.device.uuid});
  if (claim == job.device_claims.end()) return nullptr;
  const Worker* holder = FindOther(job, hello, claim->second);
  const bool holds = holder != nullptr && holder->device.uuid == hello.device.uuid &&
                     holder->host.host_id == hello.host.host_id;
  return holds ? holder : nullptr;
}

const Worker* FindRankHolder(const Job& job, const Hello& hello) {
  const auto claim = job.rank_claims.find(*hello.wanted_rank);
  if (claim == job.rank_claims.end()) return nullptr;
  const Worker* holder = FindOther(job, hello, claim->second);
  return holder != nullptr && holder->wanted_rank == hello.wanted_rank ? holder : nullptr;
}

absl::Status CheckDevice(const Job& job, const Hello& hello) {
  if (hello.device.uuid.empty()) return absl::OkStatus();
  const Worker* holder = FindDeviceHolder(job, hello);
  if (holder == nullptr) return absl::OkStatus();
  return Refuse(
      InDoubt(*holder) ? absl::StatusCode::kUnavailable : absl::StatusCode::kAlreadyExists,
      ErrorKind::kDuplicateDevice,
      absl::StrCat("worker '", hello.worker, "' asks for device ", hello.device.uuid, " of host ",
                   hello.host.hostname, ", which ", Describe(*holder), " holds"),
      hello, "give each process of a host a device of its own");
}

absl::Status CheckWantedRank(const Job& job, const Hello& hello) {
  if (!hello.wanted_rank.has_value()) return absl::OkStatus();
  const int32_t wanted = hello.wanted_rank->value;
  // Who is started as one of the spares counts on from the world.
  const bool spare =
      wanted >= job.layout->world_size() && wanted < job.layout->world_size() + job.spec->spares;
  if (spare) return absl::OkStatus();
  if (!job.layout->HasRank(*hello.wanted_rank)) {
    return Refuse(absl::StatusCode::kOutOfRange, ErrorKind::kRankOutOfRange,
                  absl::StrCat("worker '", hello.worker, "' asks for rank ", wanted, ", want 0 to ",
                               job.layout->world_size() - 1),
                  hello, "ask for a rank of the world, or for none");
  }
  const Worker* holder = FindRankHolder(job, hello);
  if (holder == nullptr) return absl::OkStatus();
  return Refuse(
      InDoubt(*holder) ? absl::StatusCode::kUnavailable : absl::StatusCode::kAlreadyExists,
      ErrorKind::kSeatTaken,
      absl::StrCat("worker '", hello.worker, "' asks for rank ", wanted, " like ",
                   Describe(*holder)),
      hello, "let each worker ask for a rank of its own, or for none");
}

}  // namespace

absl::Status CheckHello(const Hello& hello) {
  const auto invalid = [&](const std::string& what) {
    return Refuse(absl::StatusCode::kInvalidArgument, ErrorKind::kInvalidRequest,
                  absl::StrCat("hello: ", what), hello, "correct the field");
  };
  if (hello.job.empty() || hello.job.size() > kJobNameBytesMax) {
    return invalid(
        absl::StrCat("job name of ", hello.job.size(), " bytes, want 1 to ", kJobNameBytesMax));
  }
  if (hello.worker.empty() || hello.worker.size() > kWorkerIdBytesMax) {
    return invalid(absl::StrCat("worker id of ", hello.worker.size(), " bytes, want 1 to ",
                                kWorkerIdBytesMax));
  }
  if (hello.incarnation.value == 0) return invalid("incarnation is 0, want a random number");
  if (hello.report.incarnation != hello.incarnation) {
    return invalid("the report is of another incarnation");
  }
  if (hello.session.value < 1) return invalid("session number below 1");
  if (hello.host.host_id.empty()) return invalid("host id is empty");
  return absl::OkStatus();
}

absl::Status CheckHistory(const State& state, const Job& job, const Hello& hello) {
  if (hello.report.holdings.empty()) return absl::OkStatus();
  if (hello.report.store != state.store) {
    return Refuse(absl::StatusCode::kFailedPrecondition, ErrorKind::kUnknownStore,
                  absl::StrCat("worker '", hello.worker, "' holds an epoch of journal ",
                               hello.report.store.value, "; this coordinator has journal ",
                               state.store.value, " and knows nothing of it"),
                  hello, "end the processes of the job and start it again");
  }
  if (hello.report.job != job.uid) {
    return Refuse(absl::StatusCode::kFailedPrecondition, ErrorKind::kJobDeleted,
                  absl::StrCat("worker '", hello.worker, "' holds an epoch of a job '", hello.job,
                               "' that was deleted; the job of this name now is another one"),
                  hello, "end this process and start it again");
  }
  return absl::OkStatus();
}

absl::Status CheckRoom(const Job& job, const Hello& hello) {
  if (absl::Status status = CheckWantedRank(job, hello); !status.ok()) return status;
  if (absl::Status status = CheckDevice(job, hello); !status.ok()) return status;
  const auto self = job.workers.find(hello.worker);
  const bool counted = self != job.workers.end() && IsLive(self->second);
  const int32_t live = job.live - (counted ? 1 : 0);
  const int32_t world = job.layout->world_size();
  if (live < world + job.spec->spares) return absl::OkStatus();
  const bool in_doubt = std::any_of(job.workers.begin(), job.workers.end(),
                                    [](const auto& entry) { return InDoubt(entry.second); });
  return Refuse(in_doubt ? absl::StatusCode::kUnavailable : absl::StatusCode::kResourceExhausted,
                ErrorKind::kJobFull,
                absl::StrCat("job '", hello.job, "' is full: ", live, " workers for ", world,
                             " seats and ", job.spec->spares, " spares"),
                hello, "start fewer workers, or give the job more spares");
}

}  // namespace muster::coordinator
