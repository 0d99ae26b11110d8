"""The demo and `muster run` as a user starts them. usage: demo_test.py PROGRAMS PUPPET DEMO_SH"""

import os
import signal
import subprocess
import sys
import unittest

import bed

SMALL = ("--workers", "4", "--mesh", "dp=2,tp=2")


class DemoTest(unittest.TestCase):

    def setUp(self):
        self.bed = bed.Bed(*PROGRAMS)
        self.addCleanup(self.bed.__exit__)

    def demo(self, *args):
        done = subprocess.run([DEMO, PROGRAMS[0], *args], env=self.bed.environment(),
                              capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(self.bed.leftovers(), [])
        return done

    def test_default_checks_every_group_and_the_attention(self):
        done = self.demo()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[-1], r"^demo: OK 8 workers, \d+ groups, \d+ checks, 0 failed$")
        self.assertEqual(sum(line.startswith("rank ") for line in lines), 8)
        self.assertEqual(sum(line.startswith("attention ") for line in lines), 8)
        groups = [line for line in lines if line.startswith("group ")]
        self.assertIn(f" {len(groups)} groups,", lines[-1])

    def test_four_workers_of_another_mesh(self):
        done = self.demo(*SMALL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout.splitlines()[-1], r"^demo: OK 4 workers, .* 0 failed$")

    def test_flipped_byte_is_named_with_rank_and_group(self):
        done = self.demo(*SMALL, "--sabotage", "flip-byte@rank3")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^FAILED .*rank 3\b")
        self.assertRegex(done.stdout, r"(?m)^FAILED .*demo/")

    def test_skipped_exchange_fails_the_attention(self):
        done = self.demo("--sabotage", "skip-exchange@rank1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^FAILED attention at rank \d")


class RunTest(unittest.TestCase):

    def setUp(self):
        self.bed = bed.Bed(*PROGRAMS)
        self.addCleanup(self.bed.__exit__)

    def run_sleepers(self):
        """`muster run` of four workers that do nothing, once all processes are there."""
        run = self.bed.start([self.bed.program("muster"), "run", "--job", "wan", "--mesh",
                              "dp=4", "--", "sh", "-c", "echo up; exec sleep 300"], "run")
        for _ in range(4):
            self.assertRegex(run.line() or run.errors(), r"^\[\d\] up$")
        self.assertTrue(bed.eventually(lambda: len(self.workers()) == 4))
        self.bed.note_ports()
        return run

    def workers(self):
        return [pid for pid in self.bed.marked() if bed.command_of(pid) == "sleep 300"]

    def assert_nobody_is_left(self):
        self.assertTrue(bed.eventually(lambda: not self.bed.marked(), seconds=10),
                        [bed.command_of(pid) for pid in self.bed.marked()])

    def test_sigint_ends_everything(self):
        run = self.run_sleepers()
        run.signal(signal.SIGINT)
        self.assertEqual(run.wait(), 128 + signal.SIGINT)
        self.assert_nobody_is_left()
        self.assertEqual(self.bed.leftovers(), [])

    def test_sigkill_orphans_nobody(self):
        run = self.run_sleepers()
        run.signal(signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        self.assert_nobody_is_left()

    def test_worker_that_fails_ends_all_with_its_code(self):
        run = self.bed.start([self.bed.program("muster"), "run", "--job", "wan", "--mesh",
                              "dp=4", "--", "sh", "-c",
                              'if [ "$RANK" = 2 ]; then exit 7; fi; exec sleep 300'], "run")
        self.assertEqual(run.wait(), 7)
        self.assert_nobody_is_left()
        self.assertEqual(self.bed.leftovers(), [])


if __name__ == "__main__":
    PROGRAMS, DEMO = sys.argv[1:3], os.path.abspath(sys.argv[3])
    unittest.main(argv=sys.argv[:1], verbosity=2)
