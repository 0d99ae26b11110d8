#ifndef MUSTER_COMMON_BASE_NATURAL_ORDER_H_
#define MUSTER_COMMON_BASE_NATURAL_ORDER_H_

#include <compare>
#include <string_view>

namespace muster {

// Compares names as people count: runs of digits by their number, everything else by byte, so "n2"
// comes before "n10". Numbers of any length work. Equal only for equal bytes: where two names
// differ in leading zeros alone, the first difference decides and fewer zeros come first.
std::strong_ordering CompareNatural(std::string_view a, std::string_view b);

// The same as the order of a container: std::map<std::string, T, NaturalLess>.
struct NaturalLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return CompareNatural(a, b) < 0; }
};

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_NATURAL_ORDER_H_
