#include "tests/simulation/trace.h"

#include "absl/strings/str_format.h"

namespace muster::sim {

void Trace::Say(Micros now, std::string_view text) {
  if (out_ == nullptr) return;
  *out_ << absl::StrFormat("%3d.%06d  ", now / 1000000, now % 1000000) << text << '\n';
}

}  // namespace muster::sim
