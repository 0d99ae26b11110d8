#ifndef MUSTER_TESTS_TESTING_COMM_WORLD_H_
#define MUSTER_TESTS_TESTING_COMM_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/session/session.h"
#include "worker/comm/backend.h"

namespace muster {

// The members of one group, each with a backend of its own, as threads of the test's process. The
// test stands in for agents and coordinator: it hands endpoints around.
//
// Global ranks are neither in order nor from 0: member r has rank 40 - 3 * r.
class CommWorld {
 public:
  using MakeBackend = std::function<std::unique_ptr<Backend>(const Clock*)>;

  CommWorld(MakeBackend make_backend, int32_t size);
  ~CommWorld();

  int32_t size() const { return static_cast<int32_t>(members_.size()); }
  const Clock& clock() const { return clock_; }

  // What member `r` will plan and be told; may be changed before Open() and Build().
  EpochPlan& plan(int r) { return members_[static_cast<size_t>(r)].plan; }
  std::vector<Peer>& peers(int r) { return members_[static_cast<size_t>(r)].peers; }

  // Opens the endpoints of all members, or ends the test, and fills in peers().
  void Open();

  // Builds on all members but `absent`, at the same time. Gives each one's status; OK for absent
  // ones.
  std::vector<absl::Status> Build(absl::Duration deadline, const std::set<int>& absent = {});

  // Open() and Build(), ending the test on an error.
  void Form();

  // Runs `body` for all members but `absent`, at the same time, and gives what each one gave.
  std::vector<absl::Status> Run(const std::function<absl::Status(Communicator&, int)>& body,
                                const std::set<int>& absent = {});

  Communicator& at(int r) { return *members_[static_cast<size_t>(r)].communicator; }
  EpochEndpoints& endpoints(int r) { return *members_[static_cast<size_t>(r)].endpoints; }

  // Frees a member's communicator, its endpoints too, or its backend with everything.
  void Free(int r) { members_[static_cast<size_t>(r)].communicator.reset(); }
  void CloseEndpoints(int r) { members_[static_cast<size_t>(r)].endpoints.reset(); }
  void FreeAll();

  static GlobalRank GlobalRankOf(int r) { return GlobalRank(40 - 3 * r); }

 private:
  struct Member {
    EpochPlan plan;
    std::vector<Peer> peers;
    std::unique_ptr<Backend> backend;
    std::unique_ptr<EpochEndpoints> endpoints;
    std::unique_ptr<Communicator> communicator;
  };

  RealClock clock_;
  std::vector<Member> members_;
};

// Waits until `holds` gives true, at most 20 s, looking again and again. Gives whether it did.
bool Eventually(const std::function<bool()>& holds);

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_COMM_WORLD_H_
