"""Holds README.md, CHANGELOG.md, SECURITY.md and docs/ to the tree: what they name exists.

Looked at are the targets of links, and in code (spans and blocks) the paths, the ./dev commands and
the tests, as `SomethingTest.Case`.
"""

import glob
import os
import re

import tree as tidy

DOCS = re.compile(r"(.*/)?README\.md$|(CHANGELOG|SECURITY)\.md$|docs/.*\.md$")

FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
DEV = re.compile(r"\./dev\s+([a-z][\w-]*)((?:\s+[\w./=|-]+)*)")
TEST = re.compile(r"\b([A-Z]\w*)\.([A-Z]\w*)\b")
DEFINED_TEST = re.compile(r"^\s*TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)", re.MULTILINE)
PRESET = re.compile(r"--preset[ =](\w+)")

PATH = re.compile(r"\.{0,2}[\w.@+*-]*(?:/[\w.@+*-]+)*/?")
FILE_NAME = re.compile(r"[\w.@+*-]+\.(h|cc|cu|md|py|txt|cmake|proto|yaml|json|patch|sh|golden)")
GENERATED = ("build/", "./build/", ".venv/")


def looks_like_path(word, tree):
    """Says whether `word` names a file or folder of ours, so that it must exist."""
    if not PATH.fullmatch(word) or word.startswith(("/", "~", "-")) or word in ("./dev", "/"):
        return False
    if word.startswith(GENERATED):
        return False
    if "/" not in word:
        return False
    name = word.rstrip("/").rpartition("/")[2]
    first = word.removeprefix("./").partition("/")[0]
    return bool(FILE_NAME.fullmatch(name)) or word.endswith("/") or (
        first not in ("", ".", "..") and tree.exists(first))


def exists(tree, document, path):
    """Says whether `path` is there, seen from the root or from the folder of `document`."""
    for folder in ("", os.path.dirname(document)):
        if glob.glob(os.path.join(tree.root, folder, path)):
            return True
    return False


def code_of(text):
    """Gives (position, text) of each piece of code in a document."""
    blocks = [(match.start(1), match.group(1)) for match in FENCE.finditer(text)]
    prose = FENCE.sub(lambda match: tidy.blank(match.group(0)), text)
    return blocks + [(match.start(1), match.group(1)) for match in SPAN.finditer(prose)]


def check_paths(tree, document, text):
    """Gives a finding for each path in code, and each local target of a link, that is missing."""
    named = []
    for start, code in code_of(text):
        for match in re.finditer(r"[^\s,;:()'\"]+", code):
            word = match.group(0).rstrip(".")
            if looks_like_path(word, tree):
                named.append((start + match.start(), word))
    for match in LINK.finditer(text):
        target = match.group(1).partition("#")[0]
        if target and "://" not in target and not target.startswith("mailto:"):
            named.append((match.start(1), target))
    return [f"{document}:{tidy.line_of(text, position)}: there is no '{word}'"
            for position, word in named if not exists(tree, document, word)]


def check_commands(tree, document, text):
    """Gives a finding for each ./dev command or preset that there is not."""
    commands = set(re.findall(r"^cmd_(\w+)\(\)", tree.read("dev"), re.MULTILINE)) | {"help"}
    presets = set(re.findall(r'"name": "(\w+)"', tree.read("CMakePresets.json")))
    findings = []
    for match in DEV.finditer(text):
        line = tidy.line_of(text, match.start())
        if match.group(1) not in commands:
            findings.append(f"{document}:{line}: there is no command './dev {match.group(1)}'")
        for preset in PRESET.findall(match.group(2)):
            if preset not in presets:
                findings.append(f"{document}:{line}: there is no preset '{preset}'")
    return findings


def defined_tests(tree):
    """Gives the (suite, case) of every test that the sources define."""
    return {test for path in tree.files(".cc", ".h") if path.startswith("tests/")
            for test in DEFINED_TEST.findall(tree.read(path))}


def check_tests(tests, document, text):
    """Gives a finding for each test that is named in code and that there is not."""
    suites = {suite for suite, _ in tests}
    findings = []
    for start, code in code_of(text):
        for match in TEST.finditer(code):
            suite, case = match.groups()
            is_meant = suite in suites or suite.endswith("Test")
            if is_meant and (suite, case) not in tests:
                line = tidy.line_of(text, start + match.start())
                findings.append(f"{document}:{line}: there is no test '{suite}.{case}'")
    return findings


def check(tree):
    """Gives all findings of `tree`."""
    findings = []
    tests = defined_tests(tree)
    for document in tree.files(".md"):
        if DOCS.match(document):
            text = tree.read(document)
            findings += check_paths(tree, document, text)
            findings += check_commands(tree, document, text)
            findings += check_tests(tests, document, text)
    return findings


if __name__ == "__main__":
    tidy.run(check, __doc__.splitlines()[0])
