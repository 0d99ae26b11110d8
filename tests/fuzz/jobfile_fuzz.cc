// libFuzzer's entry into job files: any bytes are read and planned.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/plan_job.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)muster::PlanJob({reinterpret_cast<const char*>(data), size});
  return 0;
}
