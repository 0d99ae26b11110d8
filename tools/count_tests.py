"""Prints how many tests passed and failed, as the last line of ./dev test.

usage: count_tests.py REPORT     a report that ctest wrote with --output-junit

A test that could not be started counts as failed; one that is disabled or says itself that it was
skipped counts as skipped.
"""

import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    """Gives "passed", "failed" or "skipped" for one <testcase> element."""
    status = case.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    reason = case.find("skipped")
    if status == "notrun" and reason is not None and reason.get("message").startswith("SKIP_"):
        return "skipped"
    return "failed"


def summary(report_text):
    """Gives the line for a report: "N passed, N failed", and ", N skipped" if there are any."""
    outcomes = [outcome(case) for case in ElementTree.fromstring(report_text).iter("testcase")]
    line = f"{outcomes.count('passed')} passed, {outcomes.count('failed')} failed"
    if "skipped" in outcomes:
        line += f", {outcomes.count('skipped')} skipped"
    return line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as report:
        print(summary(report.read()))
