"""Applies each patch of tests/mutants to a copy of the tree and requires that tests turn red.

A patch is a text of two parts: first what it breaks, with one or more lines

    Expect: ctest REGEX      tests of ctest, at least one of which must fail
    Expect: sim ARGUMENTS    a run of the simulator, which must fail

then the unified diff. Every Expect line must turn red with the patch, and be green without it. A
patch that does not apply, or whose tree does not build, is a failure: it shows nothing.

The copy and its build folder are kept in build/mutants, so that only what a patch touches is built
again. The table goes to stdout, what was built and run to build/mutants/log.
"""

import argparse
import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field

RUN_SECONDS_MAX = 1200
SIMULATOR = "tests/simulation/simulate"
NAME_WIDTH = 40


class Broken(Exception):
    """A mutant that shows nothing, with the reason."""


@dataclass
class Mutant:
    name: str
    path: str
    expects: list = field(default_factory=list)  # Of ("ctest" or "sim", arguments).
    unread: list = field(default_factory=list)   # Expect lines that say neither.


def read_mutant(path):
    """Reads the Expect lines of the patch at `path`."""
    mutant = Mutant(os.path.basename(path).removesuffix(".patch"), path)
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(("diff --git ", "--- ")):
                break
            match = re.fullmatch(r"Expect: (ctest|sim) (.+)", line.strip())
            if match:
                mutant.expects.append((match.group(1), match.group(2)))
            elif line.startswith("Expect:"):
                mutant.unread.append(line.strip())
    return mutant


class Workshop:
    """A copy of the tree at `root` with a build folder of its own."""

    def __init__(self, root, jobs):
        self.root = root
        self.jobs = jobs
        self.base = os.path.join(root, "build", "mutants")
        self.tree = os.path.join(self.base, "tree")
        self.build = os.path.join(self.base, "build")
        os.makedirs(self.tree, exist_ok=True)
        self.log = open(os.path.join(self.base, "log"), "w", encoding="utf-8")
        # So that git does not take the copy for a part of the repository around it.
        self.environment = dict(os.environ, GIT_CEILING_DIRECTORIES=self.base)

    def run(self, *command, seconds=RUN_SECONDS_MAX):
        """Runs `command` in the copy and says whether it succeeded; too long is no success."""
        print("$", shlex.join(command), file=self.log, flush=True)
        try:
            done = subprocess.run(command, cwd=self.tree, env=self.environment, stdout=self.log,
                                  stderr=subprocess.STDOUT, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            print(f"took more than {seconds} s", file=self.log, flush=True)
            return False
        return done.returncode == 0

    def restore(self):
        """Makes the copy equal to the tree again. What is equal already keeps its time stamp."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
             "--deduplicate"], cwd=self.root, capture_output=True, text=True, check=True)
        wanted = {path for path in listed.stdout.split("\0")
                  if path and os.path.isfile(os.path.join(self.root, path))}
        for folder, _, names in os.walk(self.tree):
            for name in names:
                full = os.path.join(folder, name)
                if os.path.relpath(full, self.tree) not in wanted:
                    os.remove(full)
        for path in wanted:
            source, copy = os.path.join(self.root, path), os.path.join(self.tree, path)
            if os.path.isfile(copy) and filecmp.cmp(source, copy, shallow=False):
                continue
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)

    def configure(self):
        if not self.run("cmake", "--preset", "dev", "-B", self.build):
            raise Broken("does not configure")

    def tests_of(self, regex):
        """Gives the names of the tests that `regex` selects."""
        listed = subprocess.run(["ctest", "--test-dir", self.build, "-N", "-R", regex],
                                capture_output=True, text=True, check=True)
        return re.findall(r"^\s*Test\s+#\d+: (\S+)", listed.stdout, re.MULTILINE)

    def targets_of(self, expects):
        """Gives what must be built for `expects`: the programs that carry the names of tests."""
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "all"],
                                capture_output=True, text=True, check=True)
        known = set(re.findall(r"^([^:\s]+):", listed.stdout, re.MULTILINE))
        targets = set()
        for kind, arguments in expects:
            if kind == "sim":
                targets.add("simulate")
                continue
            tests = self.tests_of(arguments)
            if not tests:
                raise Broken(f"no test is called '{arguments}'")
            targets |= known.intersection(tests)
        return sorted(targets)

    def compile(self, expects):
        targets = self.targets_of(expects)
        if targets and not self.run("ninja", "-C", self.build, f"-j{self.jobs}", *targets):
            raise Broken("does not build")

    def is_green(self, expect):
        kind, arguments = expect
        if kind == "sim":
            return self.run(os.path.join(self.build, SIMULATOR), *shlex.split(arguments))
        return self.run("ctest", "--test-dir", self.build, "-R", arguments, f"-j{self.jobs}",
                        "--output-on-failure", "--no-tests=error")

    def try_mutant(self, mutant):
        """Gives the Expect lines that `mutant` left green. The copy must be restored after it."""
        if not self.run("git", "apply", mutant.path):
            raise Broken("does not apply")
        self.compile(mutant.expects)
        return [expect for expect in mutant.expects if self.is_green(expect)]


def words(expects):
    return ", ".join(f"{kind} {arguments}" for kind, arguments in expects)


def judge(workshop, mutant, red_without):
    """Gives (caught, what to print) for one mutant."""
    if mutant.unread or not mutant.expects:
        raise Broken("wants 'Expect: ctest REGEX' or 'Expect: sim ARGUMENTS', has "
                     f"{mutant.unread or 'neither'}")
    if red_without.intersection(mutant.expects):
        raise Broken(f"is red without the patch: {words(red_without & set(mutant.expects))}")
    green = workshop.try_mutant(mutant)
    if green:
        return False, f"SURVIVED {words(green)}"
    return True, words(mutant.expects)


def baseline(workshop, mutants):
    """Runs every expectation on the tree as it is and gives those that are red."""
    workshop.restore()
    workshop.configure()
    red = set()
    for expect in sorted({expect for mutant in mutants for expect in mutant.expects}):
        try:
            workshop.compile([expect])
        except Broken as broken:
            print(f"{words([expect])}: {broken}", flush=True)
            red.add(expect)
            continue
        if not workshop.is_green(expect):
            red.add(expect)
    return red


def report(name, seconds, text):
    print(f"{name:{NAME_WIDTH}}  {seconds:>7}  {text}", flush=True)


def run(root, folder, only, jobs):
    """Tries all mutants of `folder` whose name matches `only`; gives (passed, failed)."""
    mutants = [read_mutant(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
               if name.endswith(".patch") and re.search(only, name)]
    workshop = Workshop(root, jobs)
    red_without = baseline(workshop, mutants)
    report("MUTANT", "SECONDS", "CAUGHT BY")
    passed = 0
    for mutant in mutants:
        start = time.monotonic()
        try:
            caught, text = judge(workshop, mutant, red_without)
        except Broken as broken:
            caught, text = False, f"FAILED: {broken}"
        workshop.restore()
        report(mutant.name, f"{time.monotonic() - start:.1f}", text)
        passed += caught
    return passed, len(mutants) - passed


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.join(here, "..", ".."), help="the tree to copy")
    parser.add_argument("--only", default="", metavar="REGEX", help="names of the patches to try")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="programs at a time")
    options = parser.parse_args()
    root = os.path.abspath(options.root)
    passed, failed = run(root, os.path.join(root, "tests", "mutants"), options.only, options.jobs)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
