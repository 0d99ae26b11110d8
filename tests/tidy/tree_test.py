"""Tests of tree.py."""

import unittest

import tree
from testtree import TreeTestCase


class TreeTest(TreeTestCase):

    def test_files_are_found_by_suffix_and_sorted(self):
        files = self.tree({"b/x.h": "", "a.cc": "", "b/y.txt": ""}).files(".h", ".cc")
        self.assertEqual(files, ["a.cc", "b/x.h"])

    def test_build_and_hidden_folders_are_left_out(self):
        files = self.tree({"build/a.h": "", ".git/a.h": "", "c/__pycache__/a.h": "",
                           ".ci/run": "", "c/a.h": ""}).files()
        self.assertEqual(files, [".ci/run", "c/a.h"])

    def test_comments_and_strings_become_spaces_of_the_same_length(self):
        code = 'a; // b "c"\nd = "e // f"; /* g\nh */ i = \'"\'; j = 1\'000;\n'
        bare = tree.without_comments(code)
        self.assertEqual(len(bare), len(code))
        self.assertEqual(bare.split(), ["a;", "d", "=", '"', '";', "i", "=", "'", "';", "j", "=",
                                        "1'000;"])
        self.assertEqual(bare.count("\n"), code.count("\n"))

    def test_strings_are_kept_on_request(self):
        self.assertEqual(tree.without_comments('f("a"); // b', keep_strings=True).rstrip(),
                         'f("a");')

    def test_raw_string_with_quotes_is_one_string(self):
        bare = tree.without_comments('x = R"(a "b" // c)"; Mutex y;')
        self.assertIn("Mutex y;", bare)
        self.assertNotIn("b", bare)


if __name__ == "__main__":
    unittest.main()
