#include "worker/agent/host_facts.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::worker {
namespace {

TEST(HostFactsTest, ThisProcessIsDescribed) {
  const HostFacts facts = ReadHostFacts("");
  EXPECT_EQ(facts.pid, getpid());
  EXPECT_GT(facts.process_start, 0);
  EXPECT_FALSE(facts.hostname.empty());
  EXPECT_FALSE(facts.boot_id.empty());
  EXPECT_THAT(facts.pid_namespace, testing::MatchesRegex("[0-9]+"));
  EXPECT_THAT(facts.host_id, testing::StartsWith(facts.boot_id + "/"));
}

TEST(HostFactsTest, AConfiguredHostIdIsTaken) {
  EXPECT_EQ(ReadHostFacts("gpu-7").host_id, "gpu-7");
  EXPECT_EQ(ReadHostFacts("gpu-7").boot_id, ReadHostFacts("").boot_id);
}

TEST(HostFactsTest, AReusedPidIsNotTheProbedProcess) {
  const HostFacts self = ReadHostFacts("");
  EXPECT_FALSE(IsGone({Incarnation(1), self.pid, self.process_start}));
  EXPECT_TRUE(IsGone({Incarnation(1), self.pid, self.process_start - 1}));
}

TEST(HostFactsTest, AProcessThatEndedIsGoneBeforeItsParentKnows) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info = {};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(ReadProcessStart(child).has_value());
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED), 0);
  EXPECT_FALSE(ReadProcessStart(child).has_value());
}

}  // namespace
}  // namespace muster::worker
