#include "common/session/job_spec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

JobSpec ValidSpec() {
  JobSpec spec;
  spec.name = "wan-14b";
  spec.layout.world_size = 6;
  spec.layout.meshes = {{.name = "dit", .dims = {{"dp", 3}, {"tp", 2}}}};
  spec.spares = 2;
  return spec;
}

TEST(JobSpecTest, ValidSpecGivesItsLayout) {
  const absl::StatusOr<Layout> layout = ValidateJobSpec(ValidSpec());

  ASSERT_THAT(layout, IsOk());
  EXPECT_EQ(layout->world_size(), 6);
  EXPECT_EQ(layout->spec(), ValidSpec().layout);
}

TEST(JobSpecTest, NamesOfTheRuleAreTaken) {
  for (const std::string& name : {std::string("a"), std::string("7"), std::string("a-b--c9"),
                                  std::string(kJobNameBytesMax, 'x')}) {
    EXPECT_THAT(CheckJobName(name), IsOk()) << name;
  }
}

TEST(JobSpecTest, OtherNamesAreRefused) {
  const std::string bad[] = {"",
                             "-a",
                             "a-",
                             "A",
                             "a_b",
                             "a.b",
                             "a b",
                             "a/b#1",
                             "\xc3\xa9",
                             std::string("a\0b", 3),
                             std::string(kJobNameBytesMax + 1, 'x')};
  for (const std::string& name : bad) {
    EXPECT_THAT(CheckJobName(name), StatusIs(StatusCode::kInvalidArgument)) << name;
    EXPECT_THAT(CheckJobName(name), HasKind(ErrorKind::kInvalidName)) << name;
  }
}

TEST(JobSpecTest, MessageShowsABadNameEscapedAndCut) {
  EXPECT_THAT(CheckJobName("a\nb"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("'a\\nb'")));
  EXPECT_LT(CheckJobName(std::string(100000, 'X')).message().size(), 400u);
}

TEST(JobSpecTest, BadNameInASpecIsRefused) {
  JobSpec spec = ValidSpec();
  spec.name = "Wan";
  EXPECT_THAT(ValidateJobSpec(spec), HasKind(ErrorKind::kInvalidName));
}

TEST(JobSpecTest, SparesOutsideTheirRangeAreRefused) {
  JobSpec spec = ValidSpec();
  spec.spares = -1;
  EXPECT_THAT(ValidateJobSpec(spec), HasKind(ErrorKind::kInvalidRequest));
  spec.spares = kSparesMax + 1;
  EXPECT_THAT(ValidateJobSpec(spec), HasKind(ErrorKind::kLimitExceeded));
  spec.spares = kSparesMax;
  EXPECT_THAT(ValidateJobSpec(spec), IsOk());
  spec.spares = 0;
  EXPECT_THAT(ValidateJobSpec(spec), IsOk());
}

TEST(JobSpecTest, InvertedDeadlinesAreRefused) {
  JobSpec spec = ValidSpec();
  spec.deadline_overrides.lease = absl::Seconds(61);
  EXPECT_THAT(ValidateJobSpec(spec), StatusIs(StatusCode::kInvalidArgument, HasSubstr("inverted")));
}

TEST(JobSpecTest, LayoutThatCannotBeIsRefusedWithItsKind) {
  JobSpec spec = ValidSpec();
  spec.layout.meshes[0].dims[0].size = 4;
  EXPECT_THAT(ValidateJobSpec(spec), HasKind(ErrorKind::kProductMismatch));
}

}  // namespace
}  // namespace muster
