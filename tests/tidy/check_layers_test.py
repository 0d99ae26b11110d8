"""Tests of check_layers.py."""

import unittest

import check_layers
from testtree import TreeTestCase

TABLE = """
set(MUSTER_LAYER_common_base "")
set(MUSTER_LAYER_common_support common_base)
set(MUSTER_LAYER_coordinator_core common_base)
set(MUSTER_LAYER_coordinator_journal
    common_base coordinator_core)
set(MUSTER_LAYER_protos "")
set(MUSTER_LAYER_worker_comm common_base)
set(MUSTER_LAYER_worker_comm_gloo common_base worker_comm)
set(MUSTER_LAYER_testing common_base coordinator_core protos)
set(MUSTER_LAYER_tests ${MUSTER_LAYER_testing} testing)
"""


class CheckLayersTest(TreeTestCase):

    def findings(self, files):
        return check_layers.check(self.tree({"CMakeLists.txt": TABLE, **files}))

    def test_table_is_read_with_its_references(self):
        table = check_layers.read_table(TABLE)
        self.assertEqual(table["common_base"], set())
        self.assertEqual(table["coordinator_journal"], {"common_base", "coordinator_core"})
        self.assertEqual(table["tests"], {"common_base", "coordinator_core", "protos", "testing"})

    def test_allowed_includes_are_accepted(self):
        self.assertEqual([], self.findings({
            "common/base/ids.h": "#include <cstdint>\n",
            "coordinator/core/machine.h": '#include "common/base/ids.h"\n',
            "tests/coordinator/core/machine_test.cc":
                '#include "gtest/gtest.h"\n#include "coordinator/core/machine.h"\n',
        }))

    def test_include_of_a_layer_above_is_found(self):
        self.assert_one(self.findings({
            "common/base/ids.h": '\n#include "common/support/log.h"\n',
            "common/support/log.h": "",
        }), "common/base/ids.h:2", "'common_base'", "'common_support'")

    def test_include_in_a_comment_is_no_include(self):
        self.assertEqual([], self.findings({
            "common/base/ids.h": '// #include "common/support/log.h"\n/*\n#include "x.h"\n*/\n'}))

    def test_include_that_does_not_start_at_the_root_is_found(self):
        self.assert_one(self.findings({
            "common/base/ids.h": "",
            "common/base/time.h": '#include "ids.h"\n',
        }), "common/base/time.h:1", "'ids.h' is not there")

    def test_generated_header_is_of_layer_protos(self):
        self.assert_one(self.findings({
            "worker/comm/store.cc": '#include "muster/v1/types.pb.h"\n',
        }), "worker/comm/store.cc:1", "protobuf")

    def test_vendor_outside_its_backend_is_found(self):
        self.assert_one(self.findings({
            "worker/comm/gloo/context.cc": "#include <gloo/context.h>\n",
            "worker/comm/store.h": "#include <gloo/context.h>\n",
        }), "worker/comm/store.h:1", "gloo")

    def test_one_store_including_another_is_found(self):
        self.assert_one(self.findings({
            "coordinator/journal/memory/memory.h": "",
            "coordinator/journal/sqlite/sqlite.cc":
                '#include "coordinator/journal/memory/memory.h"\n#include <sqlite3.h>\n',
        }), "coordinator/journal/sqlite/sqlite.cc:1", "another store")

    def test_sqlite_outside_its_store_is_found(self):
        self.assert_one(self.findings({
            "coordinator/journal/memory/memory.h": "#include <sqlite3.h>\n",
        }), "coordinator/journal/sqlite/")

    def test_lock_reached_through_a_header_of_ours_is_found_with_the_way(self):
        self.assert_one(self.findings({
            "common/base/mailbox.h": "#include <mutex>\n",
            "common/base/queue.h": '#include "common/base/mailbox.h"\n',
            "coordinator/core/machine.h": '#include "common/base/queue.h"\n',
        }), "common/base/mailbox.h:1", "locks",
            "coordinator/core/machine.h -> common/base/queue.h -> common/base/mailbox.h")

    def test_each_impure_header_is_found_in_a_core(self):
        for header in ("grpcpp/grpcpp.h", "chrono", "thread", "mutex", "iostream",
                       "unordered_map", "absl/container/flat_hash_map.h", "random", "fstream",
                       "absl/synchronization/mutex.h", "absl/time/clock.h"):
            with self.subTest(header):
                findings = self.findings({"coordinator/core/a.h": f"#include <{header}>\n"})
                self.assertTrue(any("into pure code" in text for text in findings), findings)

    def test_same_headers_are_fine_outside_the_cores(self):
        self.assertEqual([], self.findings({
            "common/base/clock.h": "#include <chrono>\n#include <mutex>\n#include <random>\n"}))

    def test_file_outside_every_layer_is_found(self):
        self.assert_one(self.findings({"misc/a.h": ""}), "misc/a.h:1", "no layer")


if __name__ == "__main__":
    unittest.main()
