"""Tests of check_bans.py."""

import re
import unittest

import check_bans
from testtree import TreeTestCase

# For each ban: a file, a line that breaks it, and a line next to it that does not.
CASES = (
    ("coordinator/core/a.cc", "auto t = clock.Now();", "auto t = now;"),
    ("worker/core/a.cc", "std::thread t;", "std::this_is_fine t;"),
    ("coordinator/core/a.h", "absl::Mutex mu_;", "absl::Status status_;"),
    ("coordinator/core/a.cc", "int a = rand();", "int operand(); int a = operand();"),
    ("coordinator/core/a.cc", "std::mt19937_64 rng;", "uint64_t drawn;"),
    ("worker/core/a.h", "std::unordered_map<int, int> m;", "std::map<int, int> m;"),
    ("worker/core/a.h", "absl::flat_hash_set<int> m;", "std::set<int> m;"),
    ("common/layout/a.cc", 'MUSTER_LOG(kInfo, "x");', "LOGICAL x;"),
    ("coordinator/core/a.cc", "grpc::Status s;", "absl::Status s;"),
    ("coordinator/core/a.h", '#include "muster/v1/types.pb.h"', '#include "common/base/ids.h"'),
    ("worker/core/a.cc", 'getenv("X");', "Get(env);"),
    ("worker/core/a.cc", "std::ofstream out;", "std::ostringstream out;"),
    ("worker/agent/a.cc", "absl::Now();", "clock_->Now();"),
    ("worker/agent/a.cc", "std::chrono::steady_clock::now();", "std::chrono::seconds(1);"),
    ("cli/a.cc", 'std::getenv("HOME");', "environment.at(name);"),
    ("tests/worker/a_test.cc", "absl::SleepFor(absl::Seconds(1));", "clock.Advance(1);"),
    ("tests/worker/a_test.cc", "sleep(1);", "machine.sleep(1); bool asleep(int);"),
    ("tests/integration/a_test.py", "time.sleep(1)", "time.monotonic()"),
    ("tests/worker/a_test.cc", 'Listen("127.0.0.1:7070");', 'Listen("127.0.0.1:0");'),
    ("worker/agent/a.cc", "v | std::views::take(2);", "std::ranges::sort(v);"),
    ("worker/agent/a.h", "#include <source_location>", "#include <string>"),
    ("common/base/a.h", "using namespace std;", "using std::string;"),
    ("cli/a.cc", "// FIXME", "// Fixed."),
    ("cli/a.cc", "// TODO: later", "// TODO(ada): drop when Debian 13 is the oldest."),
)


class CheckBansTest(TreeTestCase):

    def test_each_banned_word_is_found_and_its_neighbour_is_not(self):
        for path, bad, good in CASES:
            with self.subTest(bad):
                findings = check_bans.check(self.tree({path: f"\n{bad}\n{good}\n"}))
                self.assertTrue(findings, bad)
                for finding in findings:
                    self.assertTrue(finding.startswith(f"{path}:2: "), finding)
                self.tree({path: ""})

    def test_each_ban_is_covered_by_a_case(self):
        for ban in check_bans.BANS:
            with self.subTest(ban.word):
                hits = [bad for path, bad, _ in CASES if re.search(ban.word, bad)]
                self.assertTrue(hits)

    def test_word_in_a_comment_or_a_string_is_fine(self):
        self.assertEqual([], check_bans.check(self.tree({
            "coordinator/core/a.cc": '// No Mutex, no Now(), no rand().\nF("std::thread Now(");\n',
        })))

    def test_word_outside_its_folders_is_fine(self):
        self.assertEqual([], check_bans.check(self.tree({
            "common/base/clock.cc": "absl::Now();\n",
            "worker/agent/a.cc": "absl::Mutex mu; sleep_for(x); std::unordered_map<int, int> m;\n",
            "common/support/environment.cc": 'getenv("X");\n',
        })))


if __name__ == "__main__":
    unittest.main()
