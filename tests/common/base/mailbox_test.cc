#include "common/base/mailbox.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pointee;

// Long enough for any machine under load; only a defect waits for it.
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kNoWait = absl::ZeroDuration();

using TextBox = Mailbox<int, std::string>;

std::vector<std::string> DrainNow(TextBox& box) {
  std::vector<std::string> out = {"left over"};
  box.Drain(&out, kNoWait);
  return out;
}

TEST(MailboxTest, EntriesComeOutOnceInOrder) {
  TextBox box("events", 4);
  ASSERT_THAT(box.Post("a"), IsOk());
  ASSERT_THAT(box.Post("b"), IsOk());

  EXPECT_THAT(DrainNow(box), ElementsAre("a", "b"));
  EXPECT_THAT(DrainNow(box), IsEmpty());
}

TEST(MailboxTest, AFullMailboxRefusesAndKeepsWhatItHas) {
  TextBox box("events", 2);
  ASSERT_THAT(box.Post("a"), IsOk());
  ASSERT_THAT(box.Post("b"), IsOk());

  const absl::Status refused = box.Post("c");

  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(refused, HasKind(ErrorKind::kMailboxFull));
  EXPECT_THAT(DrainNow(box), ElementsAre("a", "b"));
}

TEST(MailboxTest, DrainingMakesRoomForACapacityOfEntries) {
  TextBox box("events", 1);
  ASSERT_THAT(box.Post("a"), IsOk());
  DrainNow(box);

  EXPECT_THAT(box.Post("b"), IsOk());
  EXPECT_THAT(box.Post("c"), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(MailboxTest, TheCoalescingLaneKeepsTheNewestInThePlaceOfTheFirst) {
  TextBox box("events", 4);
  box.PostCoalesced(7, "seven, old");
  ASSERT_THAT(box.Post("request"), IsOk());
  box.PostCoalesced(8, "eight");
  box.PostCoalesced(7, "seven, newer");
  box.PostCoalesced(7, "seven, newest");

  EXPECT_THAT(DrainNow(box), ElementsAre("seven, newest", "request", "eight"));
}

TEST(MailboxTest, AKeyStartsAnewAfterDraining) {
  TextBox box("events", 4);
  box.PostCoalesced(7, "first");
  DrainNow(box);
  ASSERT_THAT(box.Post("request"), IsOk());
  box.PostCoalesced(7, "second");

  EXPECT_THAT(DrainNow(box), ElementsAre("request", "second"));
}

TEST(MailboxTest, NeitherLaneTakesTheRoomOfTheOther) {
  TextBox box("events", 2);
  ASSERT_THAT(box.Post("a"), IsOk());
  for (int key = 0; key < 1000; ++key) box.PostCoalesced(key, "alive");

  EXPECT_THAT(box.Post("b"), IsOk());
  EXPECT_THAT(box.Post("c"), StatusIs(absl::StatusCode::kResourceExhausted));
  box.PostCoalesced(1000, "alive");
  EXPECT_EQ(DrainNow(box).size(), 1003u);
}

TEST(MailboxTest, AWaitWithoutEntriesEndsWithNothing) {
  TextBox box("events", 1);
  std::vector<std::string> out = {"left over"};

  EXPECT_EQ(box.Drain(&out, absl::Milliseconds(5)), Drained::kNothing);
  EXPECT_THAT(out, IsEmpty());
}

TEST(MailboxTest, AnEntryOfEitherLaneEndsTheWait) {
  TextBox box("events", 1);
  for (const bool coalesced : {false, true}) {
    std::thread producer([&box, coalesced] {
      if (coalesced) {
        box.PostCoalesced(1, "entry");
      } else {
        ASSERT_THAT(box.Post("entry"), IsOk());
      }
    });
    std::vector<std::string> out;
    EXPECT_EQ(box.Drain(&out, kPatience), Drained::kSome);
    EXPECT_THAT(out, ElementsAre("entry"));
    producer.join();
  }
}

TEST(MailboxTest, AnInfiniteTimeoutWaits) {
  TextBox box("events", 1);
  std::thread producer([&box] { box.PostCoalesced(1, "entry"); });
  std::vector<std::string> out;

  EXPECT_EQ(box.Drain(&out, absl::InfiniteDuration()), Drained::kSome);
  producer.join();
}

TEST(MailboxTest, AClosedMailboxRefusesButGivesOutWhatItHas) {
  TextBox box("events", 4);
  ASSERT_THAT(box.Post("a"), IsOk());
  box.Close();
  box.Close();

  EXPECT_THAT(box.Post("b"), StatusIs(absl::StatusCode::kUnavailable));
  box.PostCoalesced(1, "c");

  std::vector<std::string> out;
  EXPECT_EQ(box.Drain(&out, kPatience), Drained::kSome);
  EXPECT_THAT(out, ElementsAre("a"));
  EXPECT_EQ(box.Drain(&out, kPatience), Drained::kClosed);
  EXPECT_THAT(out, IsEmpty());
}

TEST(MailboxTest, ClosingEndsTheWait) {
  TextBox box("events", 1);
  std::thread closer([&box] { box.Close(); });
  std::vector<std::string> out;

  EXPECT_EQ(box.Drain(&out, kPatience), Drained::kClosed);
  closer.join();
}

TEST(MailboxTest, EntriesNeedNotBeCopyable) {
  Mailbox<std::string, std::unique_ptr<int>> box("events", 2);
  ASSERT_THAT(box.Post(std::make_unique<int>(1)), IsOk());
  box.PostCoalesced("key", std::make_unique<int>(2));
  box.PostCoalesced("key", std::make_unique<int>(3));
  std::vector<std::unique_ptr<int>> out;

  EXPECT_EQ(box.Drain(&out, kNoWait), Drained::kSome);
  EXPECT_THAT(out, ElementsAre(Pointee(1), Pointee(3)));
}

TEST(MailboxDeathTest, ACapacityOfNothingEndsTheProcess) {
  EXPECT_DEATH(TextBox("events", 0), "room for an entry");
}

// Several producers, each with numbers that only rise: every number of the bounded lane that was
// taken in comes out once and in order, and the last of each key gets through.
TEST(MailboxTest, ManyProducersLoseNothingAndKeepTheirOrder) {
  constexpr int kProducers = 4;
  constexpr int kEach = 5000;
  struct Entry {
    int producer = 0;
    int number = 0;
    bool coalesced = false;
  };
  Mailbox<int, Entry> box("events", 64);
  std::atomic<int> accepted = 0;
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&box, &accepted, p] {
      for (int i = 1; i <= kEach; ++i) {
        if (box.Post({p, i, false}).ok()) ++accepted;
        box.PostCoalesced(p, {p, i, true});
      }
    });
  }
  std::thread closer([&] {
    for (std::thread& producer : producers) producer.join();
    box.Close();
  });

  int received = 0;
  std::map<int, int> newest;
  std::map<int, int> newest_coalesced;
  std::vector<Entry> out;
  while (box.Drain(&out, kPatience) == Drained::kSome) {
    for (const Entry& entry : out) {
      int& last = entry.coalesced ? newest_coalesced[entry.producer] : newest[entry.producer];
      ASSERT_LT(last, entry.number);
      last = entry.number;
      received += entry.coalesced ? 0 : 1;
    }
  }
  closer.join();

  EXPECT_EQ(received, accepted);
  for (int p = 0; p < kProducers; ++p) EXPECT_EQ(newest_coalesced[p], kEach);
}

}  // namespace
}  // namespace muster
