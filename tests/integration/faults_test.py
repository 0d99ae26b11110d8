"""A worker is killed, stopped or ends by itself at each step; the others are told who is gone.

Before the job stands the others' Join waits for a replacement; at its own deadline it ends with
kUnavailable, naming who was lost. Once it stands, every call in it ends with kUnavailable.

Two times each, or twenty with MUSTER_SOAK=1. usage: faults_test.py PROGRAMS PUPPET
"""

import concurrent.futures
import contextlib
import re
import sys
import threading
import time
import unittest

import bed

WORLD = 3
VICTIM = 1
BEFORE_THE_JOB_STANDS = ("registered", "layout_received", "endpoints_sent", "connecting", "built")
IN_COLLECTIVE = "in_collective"
KINDS = ("kill", "stop", "exit")
TIMES = 20 if bed.SOAK else 2
AT_ONCE = 4  # Cells of the table that run at the same time.

TOLD_WITHIN_S = 10.0
JOIN_WITHIN_S = 5  # What a Join that is to end by itself is given.
IDLE_CPU_MAX = 0.02
ELEMENTS = 16 << 20  # 64 MiB of float32.


class Cell:
    """One job in which one worker meets one fault at one step."""

    def __init__(self, step, kind, number):
        self.step, self.kind, self.number = step, kind, number
        self.problems = []
        self.told_s = []  # From the fault to the end of each survivor's call.
        self.idle = []    # Shares of a core, of survivors and coordinator.
        self.struck = None

    def check(self, holds, *words):
        if not holds:
            self.problems.append(f"{self.kind}@{self.step} {self.number}: "
                                 + " ".join(map(str, words)))

    def run(self):
        with bed.Bed(*PROGRAMS) as self.bed:
            self.coordinator = self.bed.start_coordinator()
            code, _, errors = self.bed.apply("wan", WORLD, f"dp={WORLD}")
            self.check(code == 0, "apply:", errors)
            fault = f"{self.kind}@{self.step}"
            self.puppets = [self.bed.start_puppet(f"w{i}", i, fault if i == VICTIM else None)
                            for i in range(WORLD)]
            self.survivors = [p for i, p in enumerate(self.puppets) if i != VICTIM]
            if self.step == IN_COLLECTIVE:
                self.strike_a_collective()
            elif self.number % 2 == 0:
                self.strike_a_join()
            else:
                self.strike_and_replace()
            self.bed.note_ports()
            self.bed.end()
            left = self.bed.leftovers()
            self.check(not left, "left behind:", left)
        return self

    def await_struck(self):
        """Waits for the fault; a process that only stopped still has a state."""
        victim = self.puppets[VICTIM]

        def struck():
            if victim.popen.poll() is not None:
                return True
            with contextlib.suppress(OSError), \
                    open(f"/proc/{victim.pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0] in "Tt"
            return False

        self.check(bed.eventually(struck, every=0.002), "the fault did not come")
        self.struck = time.monotonic()

    def answers(self, seconds):
        """The survivors' next lines and notes when they came."""
        lines = [None] * len(self.survivors)

        def read(i):
            lines[i] = self.survivors[i].line(seconds)
            self.told_s.append(time.monotonic() - self.struck)

        readers = [threading.Thread(target=read, args=(i,)) for i in range(len(lines))]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        return lines

    def check_named(self):
        """`why` and `get groups` say who is missing."""
        shown = {}

        def named():
            shown["why"] = self.bed.muster("why", "job/wan")
            shown["groups"] = self.bed.muster("get", "groups", "-j", "wan")
            why, groups = shown["why"][1], shown["groups"][1].splitlines()[1:]
            # Before it has a seat a worker is nobody's rank; only the rank is known to lack one.
            named = f"w{VICTIM}" in why or self.step == "registered"
            return named and f"missing: ranks {VICTIM}\n" in why and groups and \
                all(self.is_awaited(ranks_named(group)) for group in groups)

        self.check(bed.eventually(named, TOLD_WITHIN_S, every=0.1), "not named:", shown)

    def is_awaited(self, ranks):
        """Whether the victim is among them; alone, once the job stood."""
        return VICTIM in ranks and (self.step != IN_COLLECTIVE or len(ranks) == 1)

    def check_idle(self):
        pids = [p.pid for p in (*self.survivors, self.coordinator)]
        shares = bed.idle_cpu_shares(pids)
        self.idle += shares.values()
        self.check(max(shares.values()) < IDLE_CPU_MAX, "not idle:", shares)

    def strike_a_join(self):
        for puppet in self.puppets:
            puppet.tell(f"join wan {JOIN_WITHIN_S}")
        self.await_struck()
        self.check_named()
        self.check_idle()
        for line in (survivor.line(TOLD_WITHIN_S) for survivor in self.survivors):
            self.check((line or "").startswith("join UNAVAILABLE member_lost ") and
                       ranks_named(line) == {VICTIM} and f"workers=w{VICTIM} " in line,
                       "told:", line)

    def strike_and_replace(self):
        for puppet in self.puppets:
            puppet.tell("join wan 60")
        self.await_struck()
        self.check_named()
        self.check_idle()
        replacement = self.bed.start_puppet(f"w{VICTIM}", VICTIM)
        replacement.tell("join wan 60")
        for puppet in (*self.survivors, replacement):
            line = puppet.line()
            self.check((line or "").startswith("joined "), "replaced:", line)
            puppet.tell("sum 1000 2")
        for puppet in (*self.survivors, replacement):
            line = puppet.line()
            self.check(line == "summed", "with the replacement:", line)

    def strike_a_collective(self):
        for puppet in self.puppets:
            puppet.tell("join wan 60")
        for puppet in self.puppets:
            line = puppet.line()
            self.check((line or "").startswith("joined "), "formed:", line)
        for puppet in self.puppets:
            puppet.tell(f"sum {ELEMENTS} 1000000")
        self.await_struck()
        for line in self.answers(TOLD_WITHIN_S):
            told = f"all_reduce UNAVAILABLE member_lost ranks={VICTIM} workers=w{VICTIM} "
            self.check((line or "").startswith(told), "told:", line)
        self.check_named()
        self.check_idle()


def ranks_named(text):
    """The ranks in "rank 1" and "ranks 0-2,5", wherever they stand."""
    ranks = set()
    for match in re.findall(r"\branks? (\d[\d,-]*)", text):
        for ends in (part.split("-") for part in match.rstrip(",").split(",")):
            ranks |= set(range(int(ends[0]), int(ends[-1]) + 1))
    return ranks


def table(cells):
    lines = [f"{'step':16} {'fault':5} {'good':>6} {'told after (median, max)':>26} "
             f"{'idle CPU max':>13}"]
    for step in (*BEFORE_THE_JOB_STANDS, IN_COLLECTIVE):
        for kind in KINDS:
            of = [cell for cell in cells if (cell.step, cell.kind) == (step, kind)]
            good = sum(not cell.problems for cell in of)
            told = sorted(s for cell in of for s in cell.told_s)
            text = f"{told[len(told) // 2]:.2f} s, {told[-1]:.2f} s" if told else "-"
            idle = max((share for cell in of for share in cell.idle), default=0)
            lines.append(f"{step:16} {kind:5} {good:3}/{len(of):<2} {text:>26} {idle:12.1%}")
    return "\n".join(lines)


class FaultsTest(unittest.TestCase):

    def test_survivors_are_told_who_is_gone(self):
        cells = [Cell(step, kind, number) for number in range(TIMES)
                 for step in (*BEFORE_THE_JOB_STANDS, IN_COLLECTIVE) for kind in KINDS]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(Cell.run, cells))
        print("\n" + table(cells), flush=True)
        problems = [problem for cell in cells for problem in cell.problems]
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_an_error_in_a_collective_is_the_victims_own(self):
        with bed.Bed(*PROGRAMS) as beds:
            beds.start_coordinator()
            beds.apply("wan", WORLD, f"dp={WORLD}")
            puppets = [beds.start_puppet(f"w{i}", i,
                                         "error@in_collective" if i == VICTIM else None)
                       for i in range(WORLD)]
            for puppet in puppets:
                puppet.tell("join wan 60")
            for puppet in puppets:
                self.assertRegex(puppet.line(), "^joined ")
            for puppet in puppets:
                puppet.tell("sum 1000 1")
            self.assertRegex(puppets[VICTIM].line(), "^all_reduce INTERNAL ")


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
