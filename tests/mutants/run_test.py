"""Tests of run.py, on a repository of one file whose tests are shell commands."""

import os
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(fixture LANGUAGES NONE)
enable_testing()
add_test(NAME number_test COMMAND grep -q 42 number WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME always_test COMMAND true)
add_test(NAME never_test COMMAND false)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/tests/simulation/simulate
  COMMAND sh ${PROJECT_SOURCE_DIR}/compile ${PROJECT_SOURCE_DIR}
  DEPENDS ${PROJECT_SOURCE_DIR}/compile ${PROJECT_SOURCE_DIR}/simulator)
add_custom_target(simulate DEPENDS ${PROJECT_BINARY_DIR}/tests/simulation/simulate)
"""

PRESETS = """{"version": 6, "configurePresets": [
  {"name": "dev", "generator": "Ninja", "binaryDir": "${sourceDir}/build/dev"}]}"""

COMPILE = "mkdir -p tests/simulation && install -m 755 $1/simulator tests/simulation/simulate\n"


def patch(expect, path, old, new):
    return (f"Breaks {path}.\n{expect}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n"
            f"-{old}\n+{new}\n")


class RunTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("CMakeLists.txt", CMAKE)
        self.write("CMakePresets.json", PRESETS)
        self.write("compile", COMPILE)
        self.write("number", "42\n")
        self.write("simulator", "#!/bin/true\n")
        self.write(".gitignore", "/build/\n")
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def run_with(self, **patches):
        """Runs with `patches` (name to text) and gives (exit code, output)."""
        for name, text in patches.items():
            self.write(f"tests/mutants/{name}.patch", text)
        done = subprocess.run([sys.executable, RUN, "--root", self.root], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_mutant_that_turns_a_test_red_is_caught_and_the_tree_is_left_alone(self):
        code, output = self.run_with(
            caught=patch("Expect: ctest ^number_test$", "number", "42", "41"))
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"\ncaught +\d+\.\d  ctest \^number_test\$\n")
        self.assertTrue(output.endswith("\n1 passed, 0 failed\n"), output)
        with open(os.path.join(self.root, "number"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "42\n")

    def test_mutant_that_turns_the_simulator_red_is_caught(self):
        code, output = self.run_with(caught=patch(
            "Expect: sim --seeds 7", "simulator", "#!/bin/true", "#!/bin/false"))
        self.assertEqual(code, 0, output)
        self.assertIn("sim --seeds 7", output)

    def test_mutant_that_leaves_all_green_survives(self):
        code, output = self.run_with(
            alive=patch("Expect: ctest always_test", "number", "42", "41"))
        self.assertEqual(code, 1, output)
        self.assertIn("SURVIVED ctest always_test", output)
        self.assertTrue(output.endswith("\n0 passed, 1 failed\n"), output)

    def test_each_expectation_must_turn_red(self):
        code, output = self.run_with(half=patch(
            "Expect: ctest number_test\nExpect: ctest always_test", "number", "42", "41"))
        self.assertEqual(code, 1, output)
        self.assertIn("SURVIVED ctest always_test\n", output)

    def test_one_mutant_is_undone_before_the_next(self):
        code, output = self.run_with(
            first=patch("Expect: ctest number_test", "number", "42", "41"),
            second=patch("Expect: ctest number_test", "simulator", "#!/bin/true", "#!/bin/false"))
        self.assertEqual(code, 1, output)
        self.assertRegex(output, r"first +\d+\.\d  ctest")
        self.assertRegex(output, r"second +\d+\.\d  SURVIVED")

    def test_expectation_that_is_red_anyway_shows_nothing(self):
        code, output = self.run_with(
            vain=patch("Expect: ctest never_test", "number", "42", "41"))
        self.assertEqual(code, 1, output)
        self.assertIn("is red without the patch", output)

    def test_patch_that_shows_nothing_fails_with_the_reason(self):
        cases = (
            ("does not apply", patch("Expect: ctest number_test", "number", "43", "41")),
            ("does not build",
             patch("Expect: sim --seeds 1", "compile", COMPILE.strip(), "exit 1")),
            ("has neither", patch("Nothing.", "number", "42", "41")),
            ("has ['Expect: luck']", patch("Expect: luck", "number", "42", "41")),
            ("is red without the patch", patch("Expect: ctest gone", "number", "42", "41")),
        )
        for reason, text in cases:
            with self.subTest(reason):
                code, output = self.run_with(bad=text)
                self.assertEqual(code, 1, output)
                self.assertIn(reason, output)

    def test_no_patch_at_all_is_no_success(self):
        os.makedirs(os.path.join(self.root, "tests", "mutants"))
        code, output = self.run_with()
        self.assertEqual(code, 1, output)
        self.assertIn("0 passed, 0 failed", output)


if __name__ == "__main__":
    unittest.main()
