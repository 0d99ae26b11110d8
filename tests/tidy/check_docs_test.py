"""Tests of check_docs.py."""

import unittest

import check_docs
from testtree import TreeTestCase

TREE = {
    "dev": "cmd_test() {\n}\ncmd_sim() { true; }\n",
    "CMakePresets.json": '{"configurePresets": [{"name": "dev"}, {"name": "asan"}]}',
    "common/base/ids.h": "",
    "docs/protocol.md": "",
    "tests/base/ids_test.cc": "TEST(IdsTest, AreOrdered) {\n}\nTEST_P(SuiteOfAll, Works) {\n",
}


class CheckDocsTest(TreeTestCase):

    def findings(self, text, document="README.md"):
        return check_docs.check(self.tree({**TREE, document: text}))

    def test_what_exists_is_fine(self):
        self.assertEqual([], self.findings(
            "See `common/base/ids.h`, `common/base/`, `common/*/ids.h`, [p](docs/protocol.md#x).\n"
            "```\ncommon/base/   ids, clock\n./dev test --preset asan -R ids\n./dev help\n```\n"))

    def test_path_from_the_folder_of_the_document_is_fine(self):
        self.assertEqual([], self.findings("[protocol](../protocol.md)", "docs/adr/0001.md"))

    def test_missing_path_is_found_in_a_span(self):
        self.assert_one(self.findings("\nSee `common/base/gone.h`.\n"),
                        "README.md:2", "'common/base/gone.h'")

    def test_missing_folder_is_found_in_a_block(self):
        self.assert_one(self.findings("```\ncommon/base/  ids\ncommon/gone/  x\n```\n"),
                        "README.md:3", "'common/gone/'")

    def test_missing_target_of_a_link_is_found(self):
        self.assert_one(self.findings("[a](docs/gone.md)"), "'docs/gone.md'")

    def test_unknown_command_is_found(self):
        self.assert_one(self.findings("Run\n`./dev fly`.\n"), "README.md:2", "'./dev fly'")

    def test_tests_that_exist_are_fine(self):
        self.assertEqual([], self.findings(
            "`IdsTest.AreOrdered` `SuiteOfAll.Works` `Foo.Bar`", "worker/README.md"))

    def test_missing_test_is_found(self):
        self.assert_one(self.findings("\n`IdsTest.Gone`"), "README.md:2", "'IdsTest.Gone'")
        self.assert_one(self.findings("`SuiteOfAll.Gone`"), "'SuiteOfAll.Gone'")
        self.assert_one(self.findings("`OldTest.AreOrdered`"), "'OldTest.AreOrdered'")

    def test_unknown_preset_is_found(self):
        self.assert_one(self.findings("`./dev test --preset fast`"), "preset 'fast'")

    def test_what_is_no_path_of_the_tree_is_not_looked_for(self):
        self.assertEqual([], self.findings(
            "`wan/dit.sp#1` `muster/v1` `/dev/shm` `build/dev/bin` `https://a.b/c.md` `a/b` "
            "`kGone` `HOST:7070` [web](https://a.b/c.md) common/base/gone.h in prose\n"))


if __name__ == "__main__":
    unittest.main()
