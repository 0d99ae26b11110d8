"""Tests of tools/count_tests.py."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import count_tests  # noqa: E402  The line above makes it importable.

RUN = '<testcase name="a" status="run"/>'
FAIL = '<testcase name="b" status="fail"><failure message=""/></testcase>'
MISSING = '<testcase status="notrun"><skipped message="Unable to find executable"/></testcase>'
SKIPPED = '<testcase status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
DISABLED = '<testcase status="disabled"/>'


def summary(*cases):
    return count_tests.summary(f"<testsuite>{''.join(cases)}</testsuite>")


class CountTestsTest(unittest.TestCase):

    def test_passed_and_failed_are_counted(self):
        self.assertEqual(summary(RUN, RUN, FAIL), "2 passed, 1 failed")

    def test_nothing_is_counted_as_nothing(self):
        self.assertEqual(summary(), "0 passed, 0 failed")

    def test_missing_program_is_a_failure(self):
        self.assertEqual(summary(RUN, MISSING), "1 passed, 1 failed")

    def test_skipped_and_disabled_are_told_apart_from_passed(self):
        self.assertEqual(summary(RUN, SKIPPED, DISABLED), "1 passed, 0 failed, 2 skipped")


if __name__ == "__main__":
    unittest.main()
