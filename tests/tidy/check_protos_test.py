"""Tests of check_protos.py."""

import unittest

import check_protos
from testtree import TreeTestCase

GOOD = """
syntax = "proto3";
package muster.v1;
import "google/protobuf/duration.proto";
option cc_enable_arenas = true;

// A thing; never a pickle.
message Thing {
  reserved 4;
  // What it is called; 1 to 63 bytes.
  string name = 1;
  repeated int32 ranks = 2 [packed = true];  // Global ranks, at most 16384.
  // Votes by name; 0 to 100.
  map<string, int32> votes = 3;
  // One of the two.
  oneof body {
    // Text; at most 4 KiB.
    string text = 5;
  }
  // How it feels.
  enum Mood {
    MOOD_UNSPECIFIED = 0;  // Nobody said.
    // Well.
    MOOD_GOOD = 1;
  }
}

// Makes things.
service Things {
  // Makes one.
  //
  // Errors:
  //   INVALID_ARGUMENT  the name is empty
  rpc Make(Thing) returns (Thing);
  // Watches all.
  //
  // Errors: none but those of every call.
  rpc Watch(Thing) returns (stream Thing) {}
}
"""


class CheckProtosTest(TreeTestCase):

    def findings(self, text):
        return check_protos.check(self.tree({"protos/muster/v1/a.proto": text}))

    def test_commented_file_is_fine(self):
        self.assertEqual([], self.findings(GOOD))

    def test_every_declaration_of_the_good_file_is_seen(self):
        seen = [(kind, name) for _, kind, name in check_protos.declarations(
            check_protos.tidy.without_comments(GOOD))]
        self.assertEqual(seen, [
            ("message", "Thing"), ("field", "name"), ("field", "ranks"), ("field", "votes"),
            ("oneof", "body"), ("field", "text"), ("enum", "Mood"), ("value", "MOOD_UNSPECIFIED"),
            ("value", "MOOD_GOOD"), ("service", "Things"), ("rpc", "Make"), ("rpc", "Watch")])

    def test_declaration_without_comment_is_found(self):
        for comment, name in (("// A thing; never a pickle.", "message Thing"),
                              ("// What it is called; 1 to 63 bytes.", "field name"),
                              ("  // Global ranks, at most 16384.", "field ranks"),
                              ("// Votes by name; 0 to 100.", "field votes"),
                              ("// How it feels.", "enum Mood"),
                              ("  // Nobody said.", "value MOOD_UNSPECIFIED"),
                              ("// Makes things.", "service Things")):
            with self.subTest(name):
                self.assertIn(comment, GOOD)
                self.assert_one(self.findings(GOOD.replace(comment, "")), name, "no comment")

    def test_comment_above_an_empty_line_is_no_comment_of_the_field(self):
        self.assert_one(self.findings(GOOD.replace("1 to 63 bytes.\n", "1 to 63 bytes.\n\n")),
                        "field name")

    def test_rpc_without_errors_is_found(self):
        self.assert_one(self.findings(GOOD.replace("// Errors:\n", "// Troubles:\n")),
                        "a.proto:34", "rpc Make", "errors")

    def test_field_that_may_carry_code_is_found(self):
        self.assert_one(self.findings(GOOD.replace("string name", "bytes pickled_name")), "pickle")
        self.assert_one(self.findings(GOOD.replace("string name", "google.protobuf.Any name")),
                        "Any")


if __name__ == "__main__":
    unittest.main()
