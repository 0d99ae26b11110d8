#!/usr/bin/env python3
"""The rule of groups written plainly in Python, as launchers and engines write it, timed.

usage: peer_planner.py [ROUNDS]   default 5 rounds

A world is a grid of named sizes, slowest first. The groups of a token, one name or several, are the
ranks that differ in those names only. Every list is made, since a process that does it this way
keeps the list that holds its rank. Prints one line for each figure of planner_bench: its name and
the median in microseconds.
"""

import itertools
import statistics
import sys
import time

# The same shapes as in planner_bench.cc.
OWN_GRID = [("dp", 64), ("cfg", 2), ("pp", 8), ("sp", 8), ("tp", 8)]
TABLE_GRID = [("dp", 16), ("cfg", 2), ("pp", 8), ("sp", 8), ("tp", 8)]
OLD_GRID = [("dp", 4), ("cfg", 2), ("pp", 8), ("sp", 8), ("tp", 8)]
NEW_GRID = [("dp", 8), ("cfg", 2), ("pp", 8), ("sp", 4), ("tp", 8)]
TOKENS = ["world", "dp", "cfg", "pp", "sp", "tp", "sp-tp", "cfg-dp", "pp-tp", "dp-cfg-sp-tp"]


def groups_of(grid, token):
    """Gives all groups over the names of `token`, each with its members in order."""
    names = [name for name, _ in grid]
    inside = names if token == "world" else token.split("-")
    strides = {}
    stride = 1
    for name, size in reversed(grid):
        strides[name] = stride
        stride *= size

    def offsets(chosen):
        steps = [[i * strides[name] for i in range(size)] for name, size in grid if name in chosen]
        return [sum(step) for step in itertools.product(*steps)]

    members = offsets(inside)
    return [[start + member for member in members]
            for start in offsets([name for name in names if name not in inside])]


def own_groups(grid, rank):
    """Gives the groups of one rank, found among all."""
    return {token: next(group for group in groups_of(grid, token) if rank in group)
            for token in TOKENS}


def full_table(grid):
    """Gives for every token the group and the place of every rank."""
    table = {}
    for token in TOKENS:
        row = {}
        for index, group in enumerate(groups_of(grid, token)):
            for place, rank in enumerate(group):
                row[rank] = (index, place)
        table[token] = row
    return table


def diff(old, new):
    """Gives what is kept, built and retired between two grids; groups of one are left out."""
    def built(grid):
        return {(token, index): tuple(group) for token in TOKENS
                for index, group in enumerate(groups_of(grid, token)) if len(group) > 1}

    before, after = built(old), built(new)
    left = {}
    for name, group in before.items():
        left.setdefault(group, []).append(name)
    changes = []
    for name, group in after.items():
        pool = left.get(group)
        if not pool:
            changes.append(("build", None, name))
            continue
        old_name = name if name in pool else pool[0]
        pool.remove(old_name)
        changes.append(("keep", old_name, name))
    changes += [("retire", name, None) for pool in left.values() for name in pool]
    return changes


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for name, work in (("own_groups", lambda: own_groups(OWN_GRID, 4095)),
                       ("full_table", lambda: full_table(TABLE_GRID)),
                       ("diff", lambda: diff(OLD_GRID, NEW_GRID))):
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            work()
            times.append((time.perf_counter() - start) * 1e6)
        print(f"{name} {statistics.median(times):.1f}")


if __name__ == "__main__":
    main()
