#ifndef MUSTER_TESTS_TESTING_JOB_BED_H_
#define MUSTER_TESTS_TESTING_JOB_BED_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/session/job_spec.h"
#include "coordinator/server/server.h"
#include "worker/muster/join.h"

namespace muster {

// A coordinator in this process, and workers that join it, each as one Context.
class JobBed {
 public:
  JobBed();
  ~JobBed();

  coordinator::Server& server() { return *server_; }

  // A job "wan" of a world of `world` with mesh "dit": dims dp = `world` / `tp`, tp. Its deadlines
  // follow from `recovery`.
  static JobSpec Spec(int32_t world, int32_t tp = 1, absl::Duration recovery = absl::Seconds(30));

  // Applies `spec` over gRPC and waits for the answer.
  absl::Status Apply(const JobSpec& spec);
  absl::Status Delete(const std::string& job);

  // Options of worker "w<n>".
  JoinOptions OptionsOf(int n) const;

  // Joins w0 .. w<n - 1> at the same time, each on a thread of its own.
  std::vector<absl::StatusOr<std::unique_ptr<Context>>> JoinAll(int n);

 private:
  std::unique_ptr<coordinator::Server> server_;
};

// Runs `body` of each context at the same time, each on a thread of its own.
std::vector<absl::Status> RunAll(const std::vector<Context*>& contexts,
                                 const std::function<absl::Status(Context&)>& body);

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_JOB_BED_H_
