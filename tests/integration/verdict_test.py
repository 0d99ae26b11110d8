"""A group that waits for one of its members: `muster why` says which, and in what.

usage: verdict_test.py PROGRAMS PUPPET
"""

import json
import sys
import unittest

import bed

WORLD = 3
LATE = 2


class VerdictTest(unittest.TestCase):

    def test_who_has_not_called_is_named_until_it_calls(self):
        with bed.Bed(*PROGRAMS) as beds:
            beds.start_coordinator()
            code, _, errors = beds.apply("wan", WORLD, f"dp={WORLD}")
            self.assertEqual(code, 0, errors)
            puppets = [beds.start_puppet(f"w{i}", i) for i in range(WORLD)]
            for puppet in puppets:
                puppet.tell("join wan 60")
            for puppet in puppets:
                self.assertRegex(puppet.line(), "^joined ")
            self.assertEqual(beds.muster("why", "job/wan")[0], 0)

            for puppet in puppets[:LATE]:
                puppet.tell("sum 1000 1")

            def verdict():
                code, out, _ = beds.muster("why", "job/wan")
                return out if code == 7 and "ranks 0-1 wait in" in out else None

            out = bed.eventually(verdict)
            self.assertIsNotNone(out, beds.muster("why", "job/wan"))
            self.assertIn("ranks 0-1 wait in #1 all_reduce sum float32 x1000, which rank 2 has not "
                          "called; it has called nothing on this group", out)
            told = json.loads(beds.muster("why", "job/wan", "-o", "json")[1])["verdicts"][0]
            self.assertEqual((told["kind"], told["ranks"]), ("VERDICT_KIND_NOT_CALLED", [LATE]))
            self.assertEqual([member["rank"] for member in told["members"]], [0, 1, 2])

            puppets[LATE].tell("sum 1000 1")
            for puppet in puppets:
                self.assertEqual(puppet.line(), "summed")
            ready = bed.eventually(lambda: beds.muster("why", "job/wan")[0] == 0)
            self.assertTrue(ready, beds.muster("why", "job/wan"))


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
