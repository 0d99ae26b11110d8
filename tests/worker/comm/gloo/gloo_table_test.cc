#include "tests/testing/comm_table.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorTable,
                         testing::Values(TableCase{"Gloo", MakeGlooForTest},
                                         TableCase{
                                             "Gloo", MakeGlooForTest, CallChecks::kOff, {2, 3}}),
                         TableName);

}  // namespace
}  // namespace muster
