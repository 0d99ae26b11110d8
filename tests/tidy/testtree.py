"""A small tree of files for the tests of the tidy checks."""

import os
import tempfile
import unittest

from tree import Tree


class TreeTestCase(unittest.TestCase):
    """Gives each test an empty folder, and a way to fill it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def tree(self, files):
        """Writes `files`, a dict of path to text, and gives the tree of them."""
        for path, text in files.items():
            full = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return Tree(self.root)

    def assert_one(self, findings, *parts):
        """Requires exactly one finding, with each of `parts` in it."""
        self.assertEqual(len(findings), 1, findings)
        for part in parts:
            self.assertIn(part, findings[0])
