// A worker that does what its input says, one command a line, and answers each with one line.
//
//   join JOB SECONDS       joins JOB as the environment says: "joined rank=R epoch=E"
//   sum ELEMENTS ROUNDS    all_reduce of float32 on every group, checked: "summed"
//   state                  "state CODE KIND exit=N": of the membership, and what to end with
//   recover SECONDS        moves to the next epoch: "recovered epoch=E"
//   leave                  frees the membership: "left"
//   exit                   ends with the membership's exit code
//
// What goes wrong is answered with "<what> CODE KIND ranks=... workers=... <message>". At the end
// of the input the process leaves and ends with 0.

#include <signal.h>
#include <sys/prctl.h>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"
#include "worker/muster/join.h"

namespace muster {
namespace {

void Say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string Head(const char* what, const absl::Status& status) {
  const ErrorDetail detail = DetailOf(status).value_or(ErrorDetail());
  return absl::StrCat(what, " ", absl::StatusCodeToString(status.code()), " ",
                      std::string(KindName(detail.kind)));
}

void SayError(const char* what, const absl::Status& status) {
  const ErrorDetail detail = DetailOf(status).value_or(ErrorDetail());
  std::vector<int32_t> ranks;
  for (const GlobalRank rank : detail.ranks) ranks.push_back(rank.value);
  Say(absl::StrCat(Head(what, status), " ranks=", absl::StrJoin(ranks, ","),
                   " workers=", absl::StrJoin(detail.workers, ","), " ", status.message()));
}

absl::Status SumOnEveryGroup(Context& context, size_t elements) {
  for (const std::shared_ptr<GroupHandle>& group : context.Groups()) {
    std::vector<float> values(elements, static_cast<float>(context.rank().value + 1));
    float wanted = 0;
    for (const GlobalRank rank : group->ranks()) wanted += static_cast<float>(rank.value + 1);
    absl::Status status =
        group->AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum)->Wait();
    if (!status.ok()) return status;
    if (values != std::vector<float>(elements, wanted)) return absl::DataLossError("a wrong sum");
  }
  return absl::OkStatus();
}

class Puppet {
 public:
  // Carries out one line. Gives false if the process should end.
  bool Do(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "join") {
      OnJoin(words);
    } else if (command == "exit") {
      return false;
    } else if (context_ == nullptr) {
      Say("no membership");
    } else if (command == "sum") {
      OnSum(words);
    } else if (command == "state") {
      Say(absl::StrCat(Head("state", context_->state()), " exit=", context_->exit_code()));
    } else if (command == "recover") {
      OnRecover(words);
    } else if (command == "leave") {
      context_.reset();
      Say("left");
    } else {
      Say(absl::StrCat("no command: ", line));
    }
    return true;
  }

  int exit_code() const { return context_ == nullptr ? 0 : context_->exit_code(); }

 private:
  void OnJoin(std::istringstream& words) {
    int64_t seconds = 0;
    absl::StatusOr<JoinOptions> options = JoinOptions::FromEnvironment();
    if (!options.ok()) return SayError("options", options.status());
    words >> options->job >> seconds;
    options->join_deadline = absl::Seconds(seconds);
    absl::StatusOr<std::unique_ptr<Context>> joined = Join(*options);
    if (!joined.ok()) return SayError("join", joined.status());
    context_ = *std::move(joined);
    Say(absl::StrCat("joined rank=", context_->rank().value, " epoch=", context_->epoch().value));
  }

  void OnSum(std::istringstream& words) {
    size_t elements = 0;
    int64_t rounds = 0;
    words >> elements >> rounds;
    for (int64_t round = 0; round < rounds; ++round) {
      const absl::Status status = SumOnEveryGroup(*context_, elements);
      if (!status.ok()) return SayError("all_reduce", status);
    }
    Say("summed");
  }

  void OnRecover(std::istringstream& words) {
    int64_t seconds = 0;
    words >> seconds;
    const absl::Status status = context_->Recover(absl::Seconds(seconds));
    if (!status.ok()) return SayError("recover", status);
    Say(absl::StrCat("recovered epoch=", context_->epoch().value));
  }

  std::unique_ptr<Context> context_;
};

int Main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Puppet puppet;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!puppet.Do(line)) return puppet.exit_code();
  }
  return 0;
}

}  // namespace
}  // namespace muster

int main() { return muster::Main(); }
