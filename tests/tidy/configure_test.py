"""Tests that the functions of cmake/muster.cmake refuse what they should, at configure time."""

import os
import subprocess
import unittest

from testtree import TreeTestCase

MUSTER_CMAKE = os.path.abspath(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmake", "muster.cmake"))

PROLOGUE = f"""
cmake_minimum_required(VERSION 3.25)
project(fixture LANGUAGES NONE)
set(MUSTER_LAYER_low "")
set(MUSTER_LAYER_high low)
include({MUSTER_CMAKE})
function(library name layer)
  muster_library(NAME ${{name}} LAYER ${{layer}} HDRS a.h DEPS ${{ARGN}})
endfunction()
"""


class ConfigureTest(TreeTestCase):

    def configure(self, text):
        """Configures a project of `text` and gives (worked, output on one line)."""
        self.tree({"CMakeLists.txt": PROLOGUE + text + "\nmuster_check_targets()\n", "a.h": ""})
        done = subprocess.run(["cmake", "-S", self.root, "-B", self.root + "/build"],
                              capture_output=True, text=True, check=False)
        return done.returncode == 0, " ".join((done.stdout + done.stderr).split())

    def test_links_of_the_table_are_accepted(self):
        worked, output = self.configure(
            "library(muster_a low)\nlibrary(muster_b low muster_a)\n"
            "library(muster_c high muster_a muster_b)")
        self.assertTrue(worked, output)

    def test_link_outside_the_table_is_refused(self):
        worked, output = self.configure("library(muster_a high)\nlibrary(muster_b low muster_a)")
        self.assertFalse(worked)
        self.assertIn("muster_b is in layer 'low' and may not depend on muster_a (layer 'high')",
                      output)

    def test_link_to_a_target_declared_later_is_refused_too(self):
        worked, output = self.configure("library(muster_b low muster_a)\nlibrary(muster_a high)")
        self.assertFalse(worked)
        self.assertIn("may not depend on muster_a", output)

    def test_link_to_a_target_of_ours_that_is_not_declared_is_refused(self):
        worked, output = self.configure("library(muster_a low muster_gone absl::strings)")
        self.assertFalse(worked)
        self.assertIn("muster_a depends on muster_gone, which no folder declares", output)

    def test_unknown_layer_is_refused(self):
        worked, output = self.configure("library(muster_a middle)")
        self.assertFalse(worked)
        self.assertIn("names layer 'middle'", output)

    def test_unknown_argument_is_refused(self):
        worked, output = self.configure("muster_library(NAME a LAYER low HDR a.h)")
        self.assertFalse(worked)
        self.assertIn("unknown arguments", output)


if __name__ == "__main__":
    unittest.main()
