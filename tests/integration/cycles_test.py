"""Jobs that come and go in one set of processes leave nothing behind.

Ten cycles, or a hundred with MUSTER_SOAK=1. usage: cycles_test.py PROGRAMS PUPPET
"""

import sys
import unittest

import bed

WORLD = 4
CYCLES = 100 if bed.SOAK else 10
EARLY = range(4, 15) if bed.SOAK else range(2, 3)  # Counted from 0: cycles 5-15, or the third.
LATE = range(89, 100) if bed.SOAK else range(9, 10)
IDLE_S = 1.0

# Threads of gRPC's pool come and go as it likes; the rest are ours or stay.
GRPC_POOL = ("grpc", "default-executo", "resolver-execut", "event_engine", "timer_manager")
GRPC_POOL_MAY_DIFFER_BY = 2


class Footprint:
    """What one process holds."""

    def __init__(self, pid):
        links = bed.descriptors(pid)
        self.sockets = sum(link.startswith("socket:[") for link in links)
        self.listeners = len(bed.listening_ports(pid))
        self.shared_memory = sum("/dev/shm/" in link or "memfd:" in link for link in links)
        self.files = len(links) - self.sockets
        names = bed.thread_names(pid)
        self.pool = sum(name.startswith(GRPC_POOL) for name in names)
        self.threads = len(names) - self.pool
        self.resident = bed.resident_bytes(pid)

    def counted(self):
        return {"sockets": self.sockets, "listeners": self.listeners,
                "shared memory": self.shared_memory, "other descriptors": self.files,
                "threads": self.threads}


class CyclesTest(unittest.TestCase):

    def run_cycle(self, number):
        job = f"cycle-{number}"
        code, _, errors = self.bed.apply(job, WORLD, "dp=2,tp=2")
        self.assertEqual(code, 0, errors)
        for puppet in self.puppets:
            puppet.tell(f"join {job} 60")
        for puppet in self.puppets:
            self.assertRegex(puppet.line(), "^joined ")
        for puppet in self.puppets:
            puppet.tell("sum 100000 3")
        for puppet in self.puppets:
            self.assertEqual(puppet.line(), "summed")
        code, _, errors = self.bed.muster("delete", f"job/{job}", "--yes")
        self.assertEqual(code, 0, errors)
        for puppet in self.puppets:
            puppet.tell("leave")
        for puppet in self.puppets:
            self.assertEqual(puppet.line(), "left")

    def settled(self):
        """What each process holds once that stays the same for the idle second."""
        found = {}

        def holds():
            before = {p.name: Footprint(p.pid).counted() for p in self.processes}
            bed.idle_cpu_shares([], IDLE_S)
            found.update({p.name: Footprint(p.pid) for p in self.processes})
            return before == {name: print_.counted() for name, print_ in found.items()}

        self.assertTrue(bed.eventually(holds, seconds=30), "the processes do not come to rest")
        return dict(found)

    def assert_as_before(self, early, late):
        for name, first in early.items():
            last = late[name]
            self.assertEqual(first.counted(), last.counted(), name)
            self.assertLessEqual(abs(first.pool - last.pool), GRPC_POOL_MAY_DIFFER_BY, name)
            print(f"{name:12} {last.counted()} pool {first.pool} -> {last.pool} resident "
                  f"{first.resident >> 10} -> {last.resident >> 10} KiB", flush=True)

    def test_cycles_leave_nothing(self):
        with bed.Bed(*PROGRAMS) as self.bed:
            coordinator = self.bed.start_coordinator()
            self.puppets = [self.bed.start_puppet(f"w{i}") for i in range(WORLD)]
            self.processes = [coordinator, *self.puppets]
            early, late = [], []
            for number in range(CYCLES):
                self.run_cycle(number)
                if number in EARLY:
                    early.append(self.settled())
                if number in LATE:
                    late.append(self.settled())
            for first, last in zip(early, late):
                self.assert_as_before(first, last)
            self.bed.note_ports()
            self.bed.end()
            self.assertEqual(self.bed.leftovers(), [])


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
