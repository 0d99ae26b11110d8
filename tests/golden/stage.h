#ifndef MUSTER_TESTS_GOLDEN_STAGE_H_
#define MUSTER_TESTS_GOLDEN_STAGE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/core/machine.h"
#include "tests/golden/story.h"

namespace muster::golden {

// The coordinator's real machine, with workers, admins and a journal that a story plays by verbs.
// Every verb gives the effects that it led to, one a line.
//
//   start                              loads the journal and starts; restart does so again, with
//   all
//                                      streams gone and writes that were not answered lost
//   restart keep=N                     the same, but the first N of those writes are on disk
//   wipe                               restart over an empty journal
//   journaled [full|unknown]           answers the oldest write
//   journal auto|held                  auto: from now on every write is answered at once
//   apply job=J mesh=M [spares=N] [recovery=D] [join=D] [request=R]
//   delete job=J [request=R]
//   hello W... [job=J] [host=H] [dev=N] [rank=N] [id=W] [pid=N]
//                                      opens a stream; the worker's first process is made by its
//                                      first hello, and `id` is its worker id if not its name
//   prepared|built|active|ended|freeing W... epoch=E
//   failed W epoch=E [group=G] [peer=N] [reason=T]
//   freed W... [epoch=E]               no longer has that epoch, or anything
//   report W...                        says again what it has, having seen all that it was sent
//   doing W what=T
//   reset|cut W...                     its stream ends by itself, or was ended by the server
//   exit|leave W...                    its supervisor's notice, its own goodbye
//   peer_reset W rank=N
//   tick DURATION [W...]               time passes in ticks, in which the named workers report
//   freeze DURATION                    time passes, but the coordinator stands still
//   status [job=J]                     step, seats, and why nothing moves
class Stage {
 public:
  Stage();

  // Ends the process if there is no such verb.
  std::string Play(const Verb& verb);

 private:
  struct Actor {
    Hello hello;                      // As it would say it now.
    ConnectionId connection;          // 0: none.
    std::optional<Assignment> heard;  // The newest.
  };
  using Handler = std::string (Stage::*)(const Verb&);

  std::string Start(const Verb& verb);
  std::string Restart(const Verb& verb);
  std::string Wipe(const Verb& verb);
  std::string Journaled(const Verb& verb);
  std::string Journal(const Verb& verb);
  std::string Apply(const Verb& verb);
  std::string Delete(const Verb& verb);
  std::string SayHello(const Verb& verb);
  std::string Hold(const Verb& verb);
  std::string Fail(const Verb& verb);
  std::string Free(const Verb& verb);
  std::string Doing(const Verb& verb);
  std::string SayAgain(const Verb& verb);
  std::string EndStream(const Verb& verb);
  std::string EndWorker(const Verb& verb);
  std::string ResetPeer(const Verb& verb);
  std::string Tick(const Verb& verb);
  std::string Freeze(const Verb& verb);
  std::string Status(const Verb& verb);

  std::string Boot();
  std::string Feed(const coordinator::Event& event);
  std::string Carry(const std::vector<coordinator::Effect>& effects);
  std::string Line(const coordinator::Effect& effect);
  std::string Send(Actor& actor);
  std::string Answer(coordinator::JournalResult result);
  Actor& Get(const std::string& name);
  Actor& GetOrMake(const std::string& name, const Verb& verb);
  std::string NameOf(ConnectionId connection) const;

  MonotonicTime now_;
  coordinator::JournalContents journal_;
  std::optional<coordinator::Machine> machine_;
  std::deque<coordinator::WriteJournal> unanswered_;
  bool answers_at_once_ = false;
  uint64_t calls_ = 0;
  uint64_t requests_ = 0;
  uint64_t connections_ = 0;
  uint64_t incarnations_ = 100;
  std::map<std::string, Actor> actors_;
  std::map<JobUid, int> jobs_;  // Numbered in the order of appearance, for reading.
};

}  // namespace muster::golden

#endif  // MUSTER_TESTS_GOLDEN_STAGE_H_
