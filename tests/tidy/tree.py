"""What the tidy checks share: the files of the tree, C++ without comments, and how to report."""

import argparse
import os
import re
import sys

SKIPPED_FOLDERS = {"build", "__pycache__", "node_modules"}

# A line comment, a block comment, a raw string, a string or a character, in this order.
_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


class Tree:
    """The files below one root, as paths relative to it with forward slashes."""

    def __init__(self, root):
        self.root = root

    def files(self, *suffixes):
        """Gives all files that end in one of `suffixes` (all files if none), sorted."""
        found = []
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = [
                name for name in subfolders
                if name not in SKIPPED_FOLDERS and (not name.startswith(".") or name == ".ci")]
            for name in names:
                if not suffixes or name.endswith(suffixes):
                    path = os.path.relpath(os.path.join(folder, name), self.root)
                    found.append(path.replace(os.sep, "/"))
        return sorted(found)

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()


def blank(text):
    """Replaces every character but line ends by a space, so that positions stay the same."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(code, keep_strings=False):
    """Gives C++ `code` with comments blanked out, and strings too unless `keep_strings`."""
    def replace(match):
        token = match.group(0)
        if token.startswith(("//", "/*")):
            return blank(token)
        if keep_strings:
            return token
        return token[0] + blank(token[1:-1]) + token[-1]
    return _TOKEN.sub(replace, code)


def line_of(text, position):
    """Gives the 1-based line of `position` in `text`."""
    return text.count("\n", 0, position) + 1


def run(check, description):
    """Runs `check(tree)`, prints the findings it gives and exits with 1 if there are any.

    A finding is a text of the form "path:line: what is wrong and what is wanted".
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."),
                        help="the tree to check (default: this one)")
    findings = check(Tree(os.path.abspath(parser.parse_args().root)))
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
