"""A coordinator that keeps its state in memory is killed and started again under a job that works.

It comes back with another store. The workers take that for the loss of its state: what they compute
goes on, nothing is taken over, and Recover() says so. usage: restart_test.py PROGRAMS PUPPET
"""

import sys
import unittest

import bed

WORLD = 3
LOST_STATE = "state OK unknown exit=10"  # Users may go on; the process should end with 10.


class RestartTest(unittest.TestCase):

    def test_collectives_go_on_and_the_job_is_over(self):
        with bed.Bed(*PROGRAMS) as beds:
            first = beds.start_coordinator()
            code, _, errors = beds.apply("wan", WORLD, f"dp={WORLD}")
            self.assertEqual(code, 0, errors)
            puppets = [beds.start_puppet(f"w{i}", i) for i in range(WORLD)]
            for puppet in puppets:
                puppet.tell("join wan 60")
            for puppet in puppets:
                self.assertRegex(puppet.line(), "^joined ")
            # Long enough to last over the restart.
            for puppet in puppets:
                puppet.tell("sum 500000 150")
            first.signal(bed.KILL)
            self.assertEqual(first.wait(), -bed.KILL)
            beds.start_coordinator(beds.workers, beds.admins)
            self.assertEqual([puppet.line(0) for puppet in puppets], [None] * WORLD,
                             "the collectives were over before the restart")
            for puppet in puppets:
                self.assertEqual(puppet.line(60), "summed")

            def all_know():
                return all(puppet.ask("state") == LOST_STATE for puppet in puppets)

            self.assertTrue(bed.eventually(all_know), [p.ask("state") for p in puppets])
            # The new coordinator has taken nothing over.
            self.assertNotIn("wan", beds.muster("get", "jobs")[1])
            # The groups still work among themselves, and there is nothing to come back to.
            for puppet in puppets:
                puppet.tell("sum 1000 1")
            for puppet in puppets:
                self.assertEqual(puppet.line(), "summed")
            for puppet in puppets:
                self.assertRegex(puppet.ask("recover 5"),
                                 "^recover FAILED_PRECONDITION unknown_store ")
            for puppet in puppets:
                puppet.tell("exit")
            self.assertEqual([puppet.wait() for puppet in puppets], [10] * WORLD)
            beds.note_ports()
            beds.end()
            self.assertEqual(beds.leftovers(), [])


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
