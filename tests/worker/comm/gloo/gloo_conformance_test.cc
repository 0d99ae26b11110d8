#include "tests/testing/comm_conformance.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorConformance, ConformanceOf("Gloo", MakeGlooForTest),
                         ConformanceName);

}  // namespace
}  // namespace muster
