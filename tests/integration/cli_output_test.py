"""Exact output of `muster`: while nobody has come for a job, most of it is the same in every run.

usage: cli_output_test.py PROGRAMS PUPPET
"""

import json
import os
import subprocess
import sys
import unittest

import yaml

import bed

JOB_FILE = """apiVersion: muster/v1
kind: Job
metadata:
  name: wan
spec:
  worldSize: 4
  backend: {host: gloo}
  meshes:
  - {name: main, dims: [dp=2, tp=2]}
"""

PLAN = """GROUP          SIZE  COMMUNICATOR  RANKS
wan/world#0       4  yes           0,1,2,3
wan/main.dp#0     2  yes           0,2
wan/main.dp#1     2  yes           1,3
wan/main.tp#0     2  yes           0,1
wan/main.tp#1     2  yes           2,3

RANK  WORLD  MAIN.DP  MAIN.TP
   0  #0[0]  #0[0]    #0[0]
   1  #0[1]  #1[0]    #0[1]
   2  #0[2]  #0[1]    #1[0]
   3  #0[3]  #1[1]    #1[1]
"""

GROUPS = """GROUP          SIZE  EPOCH  READY  AGE     CONDITION
wan/world#0       4      0  0/4    <none>  Waiting: waiting for ranks 0-3
wan/main.dp#0     2      0  0/2    <none>  Waiting: waiting for ranks 0, 2
wan/main.dp#1     2      0  0/2    <none>  Waiting: waiting for ranks 1, 3
wan/main.tp#0     2      0  0/2    <none>  Waiting: waiting for ranks 0-1
wan/main.tp#1     2      0  0/2    <none>  Waiting: waiting for ranks 2-3
"""

WIDE_GROUPS = """GROUP          SIZE  EPOCH  READY  AGE     RANKS    CONDITION
wan/world#0       4      0  0/4    <none>  0,1,2,3  Waiting: waiting for ranks 0-3
wan/main.dp#0     2      0  0/2    <none>  0,2      Waiting: waiting for ranks 0, 2
wan/main.dp#1     2      0  0/2    <none>  1,3      Waiting: waiting for ranks 1, 3
wan/main.tp#0     2      0  0/2    <none>  0,1      Waiting: waiting for ranks 0-1
wan/main.tp#1     2      0  0/2    <none>  2,3      Waiting: waiting for ranks 2-3
"""

WHY = """group/wan/main.tp#1 is not ready: Forming
0 of 4 ranks are here, missing: ranks 0-3
MISSING
RANK  WORKER  HOST    LAST-SEEN  LAST-STATE  HINT
   2  <none>  <none>  <none>     <none>      no worker has come for it
   3  <none>  <none>  <none>     <none>      no worker has come for it
"""


class CliOutputTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.bed = bed.Bed(*PROGRAMS)
        self.addCleanup(self.bed.__exit__)
        self.file = os.path.join(self.bed.folder, "job.yaml")
        with open(self.file, "w", encoding="ascii") as file:
            file.write(JOB_FILE)

    def alone(self, *args, **env):
        """Runs `muster` without a coordinator: exit code, output and errors."""
        done = subprocess.run([self.bed.program("muster"), *args],
                              env=self.bed.environment(**env), capture_output=True, text=True,
                              timeout=bed.DEADLINE_S, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout, done.stderr

    def apply(self):
        self.bed.start_coordinator()
        self.assertEqual(self.bed.muster("apply", "-f", self.file), (0, "job/wan applied\n", ""))

    def test_plan(self):
        self.assertEqual(self.alone("plan", "-f", self.file), (0, PLAN, ""))
        self.assertEqual(self.alone("plan", "--mesh", "dp=2,tp=2", "-j", "wan"), (0, PLAN, ""))

    def test_plan_that_cannot_be_is_1_and_a_file_that_is_not_there_is_5(self):
        code, out, errors = self.alone("plan", "--mesh", "dp=0")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(errors, r"^Error: INVALID_ARGUMENT: --mesh 'dp=0' [^\n]*\n$")
        code, out, errors = self.alone("plan", "-f", "/nonexistent/job.yaml")
        self.assertEqual((code, out), (5, ""))
        self.assertRegex(errors, r"^Error: NOT_FOUND: cannot read '/nonexistent/job.yaml'[^\n]*\n$")

    def test_apply_that_only_checks_needs_no_coordinator(self):
        self.assertEqual(self.alone("apply", "-f", self.file, "--dry-run", "client"),
                         (0, "job/wan is valid\n", ""))

    def test_groups_and_why_of_a_job_that_waits(self):
        self.apply()
        self.assertEqual(self.bed.muster("get", "groups"), (0, GROUPS, ""))
        self.assertEqual(self.bed.muster("get", "groups", "-o", "wide"), (0, WIDE_GROUPS, ""))
        self.assertEqual(self.bed.muster("get", "groups", "-o", "name")[1].split(),
                         [f"group/wan/{name}" for name in ("world#0", "main.dp#0", "main.dp#1",
                                                           "main.tp#0", "main.tp#1")])
        self.assertEqual(self.bed.muster("why", "group/wan/main.tp#1"), (7, WHY, ""))

    def test_machines_read_the_same_from_json_and_yaml(self):
        self.apply()
        listed = json.loads(self.bed.muster("get", "groups", "-o", "json")[1])
        self.assertEqual(yaml.safe_load(self.bed.muster("get", "groups", "-o", "yaml")[1])["items"]
                         [1]["ranks"], [0, 2])
        self.assertEqual([group["ranks"] for group in listed["items"]],
                         [[0, 1, 2, 3], [0, 2], [1, 3], [0, 1], [2, 3]])
        self.assertEqual(listed["epoch"], "0")

    def test_delete_ends_a_job_and_the_list_is_empty(self):
        self.apply()
        self.assertEqual(self.bed.muster("get", "jobs", "-o", "name"), (0, "job/wan\n", ""))
        self.assertEqual(self.bed.muster("get", "events", "-o", "name"), (0, "event/1\n", ""))
        self.assertEqual(self.bed.muster("get", "workers", "--no-headers"), (0, "", ""))
        self.assertEqual(self.bed.muster("delete", "job/wan", "--yes"),
                         (0, "job/wan deleted\n", ""))
        self.assertEqual(self.bed.muster("get", "jobs", "--no-headers"), (0, "", ""))
        self.assertEqual(self.bed.muster("describe")[0], 5)

    def test_run_puts_the_rank_before_each_line(self):
        code, out, errors = self.alone("run", "--mesh", "dp=2", "-j", "wan", "--", "sh", "-c",
                                       "echo $MUSTER_JOB $RANK/$WORLD_SIZE")
        self.assertEqual((code, sorted(out.splitlines())),
                         (0, ["[0] wan 0/2", "[1] wan 1/2"]), errors)

    def test_run_that_cannot_start_says_why(self):
        code, out, errors = self.alone("run", "--mesh", "dp=2")
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(errors, r"^Error: INVALID_ARGUMENT: .* no command after --")
        code, out, errors = self.alone("run", "--mesh", "dp=2", "-n", "3", "--", "true")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("--nproc 3 does not fit the job", errors)


class LogLevelTest(unittest.TestCase):

    def events(self, **env):
        """What a worker and its coordinator log while the worker forms a job alone."""
        with bed.Bed(*PROGRAMS) as beds:
            coordinator = beds.start(
                [beds.program("muster-coordinator"), "--insecure", "--worker-address",
                 "127.0.0.1:0", "--admin-address", "127.0.0.1:0"], "coordinator", **env)
            line = coordinator.line()
            addresses = dict(word.split("=", 1) for word in line.split() if "=" in word)
            beds.admins = addresses["admins"]
            self.assertEqual(beds.apply("solo", 1, "dp=1")[0], 0)
            puppet = beds.start([PROGRAMS[1]], "w0", MUSTER_COORDINATOR=addresses["workers"],
                                MUSTER_JOB="solo", MUSTER_WORKER_ID="w0", **env)
            self.assertRegex(puppet.ask("join solo 60") or "", "^joined ")
            beds.end()
            return [{json.loads(entry)["event"] for entry in process.errors().splitlines()
                     if entry.startswith("{")} for process in (coordinator, puppet)]

    def test_info_is_logged_by_default(self):
        coordinator, worker = self.events()
        self.assertIn("epoch.active", coordinator)
        self.assertIn("worker.epoch_active", worker)

    def test_what_is_below_the_level_of_the_environment_is_not(self):
        self.assertEqual(self.events(MUSTER_LOG_LEVEL="error"), [set(), set()])


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
