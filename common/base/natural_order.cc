#include "common/base/natural_order.h"

#include <cstddef>

namespace muster {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A run of digits: its leading zeros apart from the digits that make the number.
struct Number {
  size_t zeros = 0;
  std::string_view digits;
};

// Cuts the run of digits at the front of `text` off.
Number TakeNumber(std::string_view& text) {
  Number number;
  while (number.zeros < text.size() && text[number.zeros] == '0') ++number.zeros;
  size_t end = number.zeros;
  while (end < text.size() && IsDigit(text[end])) ++end;
  number.digits = text.substr(number.zeros, end - number.zeros);
  text.remove_prefix(end);
  return number;
}

std::strong_ordering CompareBytes(std::string_view a, std::string_view b) {
  return a.compare(b) <=> 0;
}

}  // namespace

std::strong_ordering CompareNatural(std::string_view a, std::string_view b) {
  std::strong_ordering zeros = std::strong_ordering::equal;
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const Number x = TakeNumber(a);
      const Number y = TakeNumber(b);
      if (x.digits.size() != y.digits.size()) return x.digits.size() <=> y.digits.size();
      if (const auto order = CompareBytes(x.digits, y.digits); order != 0) return order;
      if (zeros == 0) zeros = x.zeros <=> y.zeros;
    } else {
      const auto order = CompareBytes(a.substr(0, 1), b.substr(0, 1));
      if (order != 0) return order;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (const auto order = a.size() <=> b.size(); order != 0) return order;
  return zeros;
}

}  // namespace muster
