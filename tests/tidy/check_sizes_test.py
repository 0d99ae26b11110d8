"""Tests of check_sizes.py."""

import unittest

import check_sizes
from testtree import TreeTestCase

SHAPES = """
#define MACRO(x) \\
  do { x; } while (0)
namespace muster {
namespace {

constexpr int kTable[] = {1, 2,
                          3};
const std::map<int, int> kMap = {{1, 2}, {3, 4}};
enum class Kind { kA, kB };

int Plain(int a) {  // A brace in a comment: {
  if (a) {
    return Call({1, 2}, "}");
  }
  return '{';
}

struct Value {
  int x{1};
  bool empty() const { return x == 0; }
  friend bool operator==(const Value&, const Value&) = default;
};

}  // namespace

Thing::Thing(int a, Options options)
    : a_(a),
      b_{a, 1},
      c_(options) {
  Use(a);
}

template <typename T>
class Box final : public Base<T> {
 public:
  explicit Box(T value = {}) : value_(value) {}
  void Set(Options options = {});
};

struct Value MakeValue(int x) {
  return Value{x};
}

}  // namespace muster
"""


class CheckSizesTest(TreeTestCase):

    def test_functions_of_every_shape_are_measured(self):
        measured = [(header.split("(")[0], lines)
                    for _, lines, header in check_sizes.functions(SHAPES)]
        self.assertEqual(measured, [
            ("int Plain", 6),
            ("bool empty", 1),
            ("Thing::Thing", 6),
            ("explicit Box", 1),
            ("struct Value MakeValue", 3),
        ])

    def test_function_of_60_lines_is_fine_and_of_61_is_found(self):
        def function(lines):
            return "void F() {\n" + "  Call();\n" * (lines - 2) + "}\n"
        self.assertEqual([], check_sizes.check(self.tree({"cli/a.cc": function(60)})))
        self.assert_one(check_sizes.check(self.tree({"cli/a.cc": "\n" + function(61)})),
                        "cli/a.cc:2", "61 lines")

    def test_file_of_500_lines_is_fine_and_of_501_is_found(self):
        self.assertEqual([], check_sizes.check(self.tree({"cli/a.cc": "int a;\n" * 500})))
        self.assert_one(check_sizes.check(self.tree({"cli/a.cc": "int a;\n" * 501})),
                        "cli/a.cc:1", "501 lines")

    def test_long_file_of_tests_is_fine(self):
        self.assertEqual([], check_sizes.check(self.tree({"tests/cli/a.cc": "int a;\n" * 501})))


if __name__ == "__main__":
    unittest.main()
