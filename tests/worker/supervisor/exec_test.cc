#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/support/child_process.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

// Runs `muster-worker exec` with nobody at the coordinator's address, which it must live with.
class ExecTest : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& options, const std::string& script) {
    ChildSpec spec;
    spec.command = {MUSTER_WORKER_PROGRAM, "exec", "--coordinator", "127.0.0.1:0", "--job", "wan",
                    "--worker-prefix",     "w"};
    spec.command.insert(spec.command.end(), options.begin(), options.end());
    for (const char* word : {"--", "sh", "-c"}) spec.command.push_back(word);
    spec.command.push_back(script);
    spec.capture_stdout = true;
    const absl::StatusOr<Child> child = StartChild(spec);
    ASSERT_TRUE(child.ok()) << child.status();
    child_ = *child;
  }

  // Everything it still writes, until all who hold its output have closed it.
  std::string ReadAll() {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(child_.stdout_fd, buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<size_t>(n));
    }
    close(child_.stdout_fd);
    return text;
  }

  std::string ReadLine() {
    std::string line;
    for (char c; read(child_.stdout_fd, &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }

  Child child_;
};

TEST_F(ExecTest, EachChildHasItsPlaceAndItsLinesAreMarked) {
  Start({"-n", "3"}, "echo rank $RANK of $WORLD_SIZE is $MUSTER_WORKER_ID in $MUSTER_JOB");

  const std::string out = ReadAll();

  EXPECT_THAT(out, HasSubstr("[0] rank 0 of 3 is w-0 in wan\n"));
  EXPECT_THAT(out, HasSubstr("[1] rank 1 of 3 is w-1 in wan\n"));
  EXPECT_THAT(out, HasSubstr("[2] rank 2 of 3 is w-2 in wan\n"));
  EXPECT_EQ(WaitForChild(child_.pid).code(), 0);
}

TEST_F(ExecTest, FirstFailureEndsAllAndIsTheExitCode) {
  Start({"-n", "3"}, "if [ $RANK = 1 ]; then exit 3; fi; exec sleep 1000");

  ReadAll();

  EXPECT_EQ(WaitForChild(child_.pid).code(), 3);
}

TEST_F(ExecTest, ChildThatIgnoresSigtermIsKilledAfterTheGrace) {
  Start({"-n", "2", "--grace", "100ms"},
        "if [ $RANK = 1 ]; then read line < /dev/null; exit 4; fi;"
        " trap '' TERM; while :; do sleep 0.01; done");

  ReadAll();

  EXPECT_EQ(WaitForChild(child_.pid).code(), 4);
}

TEST_F(ExecTest, SignalIsPassedOn) {
  Start({"-n", "1"}, "trap 'echo got it; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  EXPECT_EQ(ReadLine(), "[0] ready");

  kill(child_.pid, SIGTERM);

  EXPECT_EQ(ReadAll(), "[0] got it\n");
  EXPECT_EQ(WaitForChild(child_.pid).code(), 128 + SIGTERM);
}

TEST_F(ExecTest, NobodyOutlivesAKilledSupervisor) {
  Start({"-n", "2"}, "echo up; exec sleep 1000");
  EXPECT_THAT(ReadLine(), HasSubstr("up"));
  EXPECT_THAT(ReadLine(), HasSubstr("up"));

  kill(child_.pid, SIGKILL);

  ReadAll();  // Ends only when the children have closed the output, too.
  EXPECT_EQ(WaitForChild(child_.pid).code(), 128 + SIGKILL);
}

}  // namespace
}  // namespace muster
