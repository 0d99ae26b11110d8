"""Tests of links_cores.py."""

import unittest

from links_cores import missing

STEP = "muster::coordinator::Machine::Step("
REAL = ("00a0", STEP + "Event const&)")
OTHER = ("0010", "muster::Other()")


class LinksCoresTest(unittest.TestCase):

    def test_program_with_the_function_of_the_archive_is_fine(self):
        self.assertEqual([], missing([OTHER, REAL], [REAL], [STEP]))

    def test_program_without_the_function_is_found(self):
        self.assertEqual(1, len(missing([OTHER], [REAL], [STEP])))

    def test_program_with_a_double_of_the_function_is_found(self):
        double = ("0008", REAL[1])
        self.assertEqual(1, len(missing([OTHER, double], [REAL], [STEP])))

    def test_archives_without_the_function_are_found(self):
        self.assertEqual(1, len(missing([REAL], [OTHER], [STEP])))


if __name__ == "__main__":
    unittest.main()
