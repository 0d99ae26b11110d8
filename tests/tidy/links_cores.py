"""Shows that a program holds the real cores: their step functions, as their libraries define them.

usage: links_cores.py PROGRAM ARCHIVE...    the archives of both cores
"""

import re
import subprocess
import sys

STEPS = ("muster::coordinator::Machine::Step(", "muster::worker::Agent::Step(")


def defined(file):
    """Gives (symbol, size in bytes) for each function that `file` defines."""
    listed = subprocess.run(["nm", "-C", "-S", "--defined-only", file], capture_output=True,
                            text=True, check=True)
    return re.findall(r"^[0-9a-f]+ ([0-9a-f]+) [TtWw] (.*)$", listed.stdout, re.MULTILINE)


def missing(program_symbols, archive_symbols, steps=STEPS):
    """Gives what speaks against the real cores being in the program; nothing if all is well."""
    findings = []
    for step in steps:
        ours = {(size, name) for size, name in archive_symbols if name.startswith(step)}
        if not ours:
            findings.append(f"no archive defines {step}...)")
        elif not ours & set(program_symbols):
            findings.append(f"the program does not hold {step}...) as its archive defines it")
    return findings


if __name__ == "__main__":
    archives = [symbol for archive in sys.argv[2:] for symbol in defined(archive)]
    wrong = missing(defined(sys.argv[1]), archives)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
