"""Coordinators and clients as processes: taken ports, TLS, and what is left behind.

usage: processes_test.py PROGRAMS PUPPET
"""

import os
import re
import signal
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../integration"))
import bed  # noqa: E402  (found by the line above)

PROGRAMS, PUPPET = sys.argv[1:3]
RUN_S = 120.0


class ProcessesTest(unittest.TestCase):

    def setUp(self):
        self.bed = bed.Bed(PROGRAMS, PUPPET)
        self.addCleanup(self.bed.__exit__)

    def run_program(self, *command, seconds=bed.DEADLINE_S, **env):
        done = subprocess.run(command, env=self.bed.environment(**env), capture_output=True,
                              text=True, timeout=seconds, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout, done.stderr

    def coordinator(self, *args):
        return self.run_program(self.bed.program("muster-coordinator"), *args)


class CoordinatorTest(ProcessesTest):

    def test_a_second_one_on_the_same_port_fails_at_once(self):
        self.bed.start_coordinator()
        free = "127.0.0.1:0"
        for workers, admins in ((self.bed.workers, free), (free, self.bed.admins)):
            code, output, errors = self.coordinator("--insecure", "--worker-address", workers,
                                                    "--admin-address", admins)
            self.assertEqual(code, 1)
            self.assertEqual(output, "")
            taken = workers if admins == free else admins
            self.assertIn(f"Error: cannot listen on {taken}: the address is in use", errors)

    def test_without_tls_it_serves_loopback_only_and_on_demand_only(self):
        local = ["--worker-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"]
        code, _, errors = self.coordinator(*local)
        self.assertEqual(code, 2)
        self.assertIn("--insecure", errors)
        code, _, errors = self.coordinator("--insecure", *local[:3], "0.0.0.0:0")
        self.assertEqual(code, 1)
        self.assertIn("0.0.0.0:0 is refused", errors)

    def test_it_listens_where_it_was_told_to_and_nowhere_else(self):
        process = self.bed.start_coordinator()
        ports = {int(address.rsplit(":", 1)[1]) for address in (self.bed.workers, self.bed.admins)}
        self.assertEqual(bed.listening_ports(process.pid), ports)


class RunOverTlsTest(ProcessesTest):
    """`muster run --tls auto`: every process with a certificate of its own."""

    def start_run(self, workers, mesh, *command):
        return self.bed.start([self.bed.program("muster"), "run", "--tls", "auto", "--job", "wan",
                               "-n", str(workers), "--mesh", mesh, "--", *command], "run")

    def context(self):
        path = os.path.join(self.bed.folder, "run", "muster", "context")
        self.assertTrue(bed.eventually(lambda: os.path.exists(path)), "there is no context file")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="ascii") as file:
            return file.read().splitlines()

    def wait_for_a_worker(self, run):
        """Waits until worker 0 says that it is up and gives what the context file says."""
        self.assertEqual(run.line(), "[0] up", run.errors())
        return self.context()

    def assert_nothing_is_left(self):
        bed.eventually(lambda: not self.bed.leftovers())
        self.assertEqual(self.bed.leftovers(), [])

    def lines_of(self, run):
        lines = []
        while (line := run.line(RUN_S)) is not None:
            lines.append(line)
        return lines

    def test_a_whole_job_succeeds_and_leaves_nothing(self):
        run = self.start_run(4, "dp=2,tp=2", self.bed.program("demo_worker"))
        lines = self.lines_of(run)
        self.assertEqual(run.wait(), 0, run.errors())
        self.assertTrue(any(re.search(r"demo: OK 4 workers", line) for line in lines), lines)
        self.assert_nothing_is_left()

    def test_each_worker_has_a_certificate_of_its_own(self):
        run = self.start_run(2, "dp=2", "sh", "-c", 'echo "${MUSTER_TLS_CERT##*/}"')
        self.assertEqual(sorted(self.lines_of(run)), ["[0] worker-0.crt", "[1] worker-1.crt"])
        self.assertEqual(run.wait(), 0, run.errors())

    def test_a_job_that_fails_leaves_nothing_either(self):
        run = self.start_run(2, "dp=2", "sh", "-c", "exit 3")
        self.assertEqual(run.wait(RUN_S), 3, run.errors())
        self.assert_nothing_is_left()

    def test_the_other_commands_reach_the_job_by_the_context_file(self):
        run = self.start_run(1, "dp=1", "sh", "-c", "echo up; read nothing")
        endpoint, cert, key, ca = self.wait_for_a_worker(run)
        for path in (cert, key, ca):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(key)).st_mode), 0o700)
        code, output, errors = self.bed.muster("get", "jobs")
        self.assertEqual(code, 0, errors)
        self.assertIn("wan", output)
        self.refuse_others(endpoint, os.path.dirname(key))
        run.signal(signal.SIGTERM)
        self.assertEqual(run.wait(), 128 + signal.SIGTERM)
        self.assert_nothing_is_left()

    def refuse_others(self, endpoint, folder):
        """Whoever brings no certificate, or not an admin's, hears why, and gets exit code 4."""
        worker = [word for flag, end in (("--cert", ".crt"), ("--key", ".key"))
                  for word in (flag, os.path.join(folder, "worker-0" + end))]
        authority = ["--cacert", os.path.join(folder, "ca.crt")]
        get = [self.bed.program("muster"), "get", "jobs", "--endpoint", endpoint]
        code, _, errors = self.run_program(*get)
        self.assertEqual(code, 4, errors)
        self.assertRegex(errors, "UNAUTHENTICATED: .*wants TLS.*no certificate.*; give ")
        code, _, errors = self.run_program(*get, *authority)
        self.assertEqual(code, 1, errors)
        self.assertRegex(errors, "not given: certificate, private key")
        code, _, errors = self.run_program(*get, *worker, *authority)
        self.assertEqual(code, 4, errors)
        self.assertRegex(errors, "PERMISSION_DENIED: .*not for an admin: .*/job/wan/worker/")

    def test_a_worker_that_is_not_let_in_hears_why_and_does_not_dial_for_ever(self):
        script = 'echo up; echo "$MUSTER_COORDINATOR"; read nothing'
        run = self.start_run(1, "dp=1", "sh", "-c", script)
        _, admin, key, authority = self.wait_for_a_worker(run)
        self.bed.workers = run.line().split()[1]
        tls = {"MUSTER_TLS_KEY": key.replace("admin", "worker-0"), "MUSTER_TLS_CA": authority,
               "MUSTER_TLS_CERT": admin.replace("admin", "worker-0")}
        for files, why in (({}, "wants TLS"), (tls, "is not for worker 'w9' of job 'wan'")):
            puppet = self.bed.start([PUPPET], "w9", MUSTER_COORDINATOR=self.bed.workers,
                                    MUSTER_JOB="wan", MUSTER_WORKER_ID="w9", **files)
            puppet.tell("join wan 600")
            self.assertIn(why, puppet.line() or "")

    def test_files_go_even_if_it_is_killed(self):
        run = self.start_run(1, "dp=1", "sh", "-c", "echo up; read nothing")
        *_, authority = self.wait_for_a_worker(run)
        run.signal(bed.KILL)
        run.wait()
        self.assertTrue(bed.eventually(lambda: not os.path.exists(os.path.dirname(authority))))
        self.assertTrue(bed.eventually(lambda: not self.bed.marked()))

    def test_it_is_for_a_coordinator_of_its_own(self):
        code, _, errors = self.run_program(
            self.bed.program("muster"), "run", "--tls", "auto", "--coordinator", "127.0.0.1:0",
            "--job", "wan", "-n", "1", "--", "true")
        self.assertEqual(code, 1)
        self.assertIn("--tls-cert", errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
