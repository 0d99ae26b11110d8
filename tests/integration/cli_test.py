"""What `muster` prints and ends with, against a real coordinator and real workers.

usage: cli_test.py PROGRAMS PUPPET
"""

import json
import os
import re
import socket
import subprocess
import sys
import unittest

import yaml

import bed

FORMATS = ("table", "wide", "json", "yaml", "name")


class CliTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.beds = bed.Bed(*PROGRAMS)
        cls.beds.start_coordinator()
        code, _, errors = cls.beds.apply("wan", 2, "dp=1, tp=2")
        assert code == 0, errors
        cls.puppets = [cls.beds.start_puppet(f"w{i}", i) for i in range(2)]
        for puppet in cls.puppets:
            puppet.tell("join wan 60")
        for puppet in cls.puppets:
            line = puppet.line()
            assert line and line.startswith("joined "), line

    @classmethod
    def tearDownClass(cls):
        cls.beds.end()
        cls.beds.__exit__()

    def ok(self, *args):
        code, out, errors = self.beds.muster(*args)
        self.assertEqual((code, errors), (0, ""), out)
        return out

    def refused(self, code, *args):
        """Runs what must fail with `code`, and gives its one line on stderr."""
        found, out, errors = self.beds.muster(*args)
        self.assertEqual((found, out), (code, ""), errors)
        self.assertRegex(errors, r"^Error: [A-Z_]+: [^\n]+\n$")
        return errors

    def test_tables_have_their_columns(self):
        wanted = {"jobs": "JOB WORLD EPOCH AGE", "workers": "RANK WORKER STATE HOST GPU LOCAL GROUPS EPOCH",
                  "groups": "GROUP SIZE EPOCH READY AGE", "events": "AGE"}
        for what, columns in wanted.items():
            lines = self.ok("get", what).splitlines()
            header = lines[0].split()
            for column in columns.split():
                self.assertIn(column, header, what)
            self.assertGreater(len(lines), 1, what)
            self.assertEqual(lines[0], lines[0].upper(), what)
            bare = self.ok("get", what, "--no-headers").splitlines()
            self.assertEqual(len(bare), len(lines) - 1, what)

    def test_workers_are_listed_by_rank_with_their_groups(self):
        rows = [line.split() for line in self.ok("get", "workers").splitlines()[1:]]
        self.assertEqual([row[:3] for row in rows], [["0", "w0", "Ready"], ["1", "w1", "Ready"]])
        self.assertIn("main.tp#0", rows[0][6])

    def test_every_list_comes_in_every_format(self):
        for what in ("jobs", "workers", "groups", "events"):
            listed = json.loads(self.ok("get", what, "-o", "json"))
            self.assertEqual(yaml.safe_load(self.ok("get", what, "-o", "yaml")).keys(),
                             listed.keys())
            names = self.ok("get", what, "-o", "name").split()
            self.assertEqual(len(names), len(listed["items"]))
            self.assertTrue(all(name.startswith(what[:-1] + "/") for name in names), names)
            self.assertGreaterEqual(len(self.ok("get", what, "-o", "wide")),
                                    len(self.ok("get", what)))

    def test_describe_shows_the_spec_and_the_status(self):
        shown = yaml.safe_load(self.ok("describe", "job/wan"))
        self.assertEqual(shown["spec"]["name"], "wan")
        self.assertEqual(json.loads(self.ok("describe", "job/wan", "-o", "json"))["spec"],
                         shown["spec"])

    def test_why_of_what_is_ready(self):
        for subject in ("job/wan", "worker/w1", "group/wan/main.tp#0"):
            self.assertEqual(self.ok("why", subject), f"{subject} is ready at epoch 1\n")

    def test_not_ready_is_7_and_names_the_missing(self):
        code, _, errors = self.beds.apply("lonely", 3, "dp=3")
        self.assertEqual(code, 0, errors)
        code, out, _ = self.beds.muster("why", "job/lonely")
        self.assertEqual(code, 7)
        self.assertIn("missing: ranks 0-2", out)
        code, out, _ = self.beds.muster("why", "job/lonely", "-o", "json")
        self.assertEqual(code, 7)
        self.assertEqual([entry["rank"] for entry in json.loads(out)["missing"]], [0, 1, 2])
        self.ok("delete", "job/lonely", "--yes")

    def test_usage_is_2(self):
        self.assertIn("cannot get 'cats'", self.refused(2, "get", "cats"))
        self.refused(2, "get", "jobs", "-o", "xml")
        self.refused(2, "get", "jobs", "--no-such-flag")
        self.assertEqual(subprocess.run([self.beds.program("muster"), "fly"], check=False,
                                        capture_output=True).returncode, 2)

    def test_nobody_there_is_3(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # Bound and not listened on: nobody answers.
            port = taken.getsockname()[1]
            done = subprocess.run(
                [self.beds.program("muster"), "get", "jobs", "--endpoint", f"127.0.0.1:{port}",
                 "--command-timeout", "2s"], env=self.beds.environment(), capture_output=True,
                text=True, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"127.0.0.1:{port}", done.stderr)

    def test_plain_connection_beyond_loopback_is_4(self):
        done = subprocess.run(
            [self.beds.program("muster"), "get", "jobs", "--endpoint", "192.0.2.1:7071"],
            env=self.beds.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_what_is_not_there_is_5(self):
        self.assertIn("'cat'", self.refused(5, "describe", "job/cat"))
        self.refused(5, "why", "worker/nobody", "--job", "wan")
        self.refused(5, "why", "group/wan/main.tp#7")
        self.refused(5, "delete", "job/cat", "--yes")

    def test_conflict_is_6(self):
        code, out, errors = self.beds.apply("wan", 4, "dp=4")
        self.assertEqual((code, out), (6, ""), errors)
        self.assertIn("wan", errors)
        self.refused(6, "delete", "job/wan", "--yes", "--if-epoch", "9")

    def test_failed_is_1(self):
        path = os.path.join(self.beds.folder, "wrong.yaml")
        with open(path, "w", encoding="ascii") as file:
            file.write("apiVersion: muster/v1\nkind: Job\nmetadata: {name: x}\n"
                       "spec:\n  worldSize: 5\n  meshes: [{name: main, dims: [dp=2, tp=2]}]\n")
        self.assertIn("dp 2 x tp 2 = 4, want 5", self.refused(1, "apply", "-f", path))

    def test_errors_are_json_too_if_output_is(self):
        code, _, errors = self.beds.muster("describe", "job/cat", "-o", "json")
        self.assertEqual(code, 5)
        line, rest = errors.split("\n", 1)
        self.assertRegex(line, "^Error: NOT_FOUND: ")
        self.assertEqual(json.loads(rest)["code"], "NOT_FOUND")
        self.assertEqual(json.loads(rest)["kind"], "unknown_job")

    def test_delete_off_a_terminal_wants_yes(self):
        self.assertIn("--yes", self.refused(2, "delete", "job/wan"))

    def test_same_request_again_is_not_an_error(self):
        out = self.beds.apply("wan", 2, "dp=1, tp=2")
        self.assertIn(out[0], (0, 6), out)

    def test_help_lists_commands_and_exit_codes(self):
        out = subprocess.run([self.beds.program("muster"), "--help"], capture_output=True,
                             text=True, check=True).stdout
        for command in ("run", "plan", "apply", "get", "describe", "why", "delete"):
            self.assertRegex(out, rf"(?m)^  {command} ")
        self.assertEqual(re.findall(r"\b([0-7]) [a-z]", out), list("01234567"))


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
