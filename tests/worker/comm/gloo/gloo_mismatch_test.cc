#include "tests/testing/comm_mismatch.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorMismatch, MismatchesOf(MakeGlooForTest));

}  // namespace
}  // namespace muster
