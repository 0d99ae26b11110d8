#include "common/base/event_ring.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EventRingTest, AFreshRingIsEmpty) {
  const EventRing<int> ring(3);

  EXPECT_THAT(ring.events(), IsEmpty());
  EXPECT_EQ(ring.dropped(), 0u);
}

TEST(EventRingTest, UpToItsCapacityAllStayInOrder) {
  EventRing<std::string> ring(3);
  ring.Push("lost");
  ring.Push("joined");
  ring.Push("ready");

  EXPECT_THAT(ring.events(), ElementsAre("lost", "joined", "ready"));
  EXPECT_EQ(ring.dropped(), 0u);
}

TEST(EventRingTest, TheOldestGoFirstAndAreCounted) {
  EventRing<int> ring(3);
  for (int i = 10; i < 18; ++i) ring.Push(i);

  EXPECT_THAT(ring.events(), ElementsAre(15, 16, 17));
  EXPECT_EQ(ring.dropped(), 5u);
}

TEST(EventRingTest, EventsNeedNotBeCopyable) {
  EventRing<std::unique_ptr<int>> ring(1);
  ring.Push(std::make_unique<int>(1));
  ring.Push(std::make_unique<int>(2));

  EXPECT_THAT(ring.events(), ElementsAre(testing::Pointee(2)));
}

TEST(EventRingDeathTest, ACapacityOfNothingEndsTheProcess) {
  EXPECT_DEATH(EventRing<int>(0), "room for an event");
}

}  // namespace
}  // namespace muster
