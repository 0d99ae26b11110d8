#include "common/wire/job_spec.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "common/wire/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(WireJobSpecTest, SpecsSurviveTheWire) {
  Random random(31);
  for (int i = 0; i < 1000; ++i) {
    const JobSpec spec = RandomJobSpec(random);
    v1::JobSpec wire;
    ASSERT_TRUE(wire.ParseFromString(ToProto(spec).SerializeAsString()));
    ASSERT_THAT(FromProto(wire), IsOkAndHolds(spec)) << "value " << i;
  }
}

// Legal, with one of everything that a spec can say.
v1::JobSpec FullSpec() {
  v1::JobSpec wire;
  wire.set_name("wan");
  wire.set_world_size(8);
  v1::Mesh& mesh = *wire.add_meshes();
  mesh.set_name("dit");
  mesh.mutable_ranks()->set_count(8);
  for (const char* name : {"dp", "tp"}) {
    v1::Dim& dim = *mesh.add_dims();
    dim.set_name(name);
    dim.set_size(name[0] == 'd' ? 4 : 2);
  }
  mesh.add_split()->set_dim("dp");
  mesh.mutable_split(0)->add_into()->set_name("ring");
  mesh.add_flatten()->set_name("all");
  mesh.mutable_flatten(0)->add_of("dp");
  wire.add_groups()->set_name("draft");
  wire.mutable_groups(0)->add_groups()->add_ranks(3);
  return wire;
}

TEST(WireJobSpecTest, UnsetPartsGetTheirDefaults) {
  const absl::StatusOr<JobSpec> spec = FromProto(FullSpec());

  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->recovery, absl::Seconds(30));
  EXPECT_EQ(spec->spares, 0);
  EXPECT_EQ(spec->deadline_overrides, DeadlineOverrides{});
  EXPECT_EQ(spec->layout.world_mode, BuildMode::kEager);
  EXPECT_EQ(spec->layout.meshes[0].host_mode, BuildMode::kEager);
  EXPECT_TRUE(spec->layout.meshes[0].host_dim_modes.empty());
}

TEST(WireJobSpecTest, ModesAreInheritedFromTheJobAndTheMesh) {
  v1::JobSpec wire = FullSpec();
  wire.mutable_backend()->set_host_build(v1::BUILD_MODE_LAZY);
  wire.add_meshes()->set_name("other");
  wire.mutable_meshes(1)->mutable_backend()->set_host_build(v1::BUILD_MODE_NONE);
  v1::Mesh& mesh = *wire.mutable_meshes(0);
  mesh.mutable_dims(1)->mutable_backend()->set_host_build(v1::BUILD_MODE_NONE);
  mesh.mutable_split(0)->mutable_into(0)->mutable_backend()->set_host_build(v1::BUILD_MODE_EAGER);
  mesh.mutable_flatten(0)->mutable_backend()->set_host_build(v1::BUILD_MODE_NONE);

  const absl::StatusOr<JobSpec> spec = FromProto(wire);

  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->layout.world_mode, BuildMode::kLazy);
  EXPECT_EQ(spec->layout.groups[0].host_mode, BuildMode::kLazy);
  EXPECT_EQ(spec->layout.meshes[0].host_mode, BuildMode::kLazy);
  EXPECT_EQ(spec->layout.meshes[1].host_mode, BuildMode::kNone);
  EXPECT_THAT(spec->layout.meshes[0].host_dim_modes,
              ElementsAre(DimMode{"tp", BuildMode::kNone}, DimMode{"ring", BuildMode::kEager},
                          DimMode{"all", BuildMode::kNone}));
}

struct Case {
  const char* path;
  std::function<void(v1::JobSpec&)> spoil;
};

using S = v1::JobSpec;

TEST(WireJobSpecTest, TextsAndListsAreHeldToTheirLimits) {
  const std::string long_name(64, 'n');
  const Case cases[] = {
      {"spec.name ", [&](S& s) { s.set_name(long_name); }},
      {"spec.meshes ",
       [](S& s) {
         while (s.meshes_size() <= kMeshesMax) s.add_meshes();
       }},
      {"spec.meshes[0].name ", [&](S& s) { s.mutable_meshes(0)->set_name(long_name); }},
      {"spec.meshes[0].dims ",
       [](S& s) {
         while (s.meshes(0).dims_size() <= 16) s.mutable_meshes(0)->add_dims();
       }},
      {"spec.meshes[0].dims[1].name ",
       [&](S& s) { s.mutable_meshes(0)->mutable_dims(1)->set_name(long_name); }},
      {"spec.meshes[0].split ",
       [](S& s) {
         while (s.meshes(0).split_size() <= 16) s.mutable_meshes(0)->add_split();
       }},
      {"spec.meshes[0].split[0].dim ",
       [&](S& s) { s.mutable_meshes(0)->mutable_split(0)->set_dim(long_name); }},
      {"spec.meshes[0].split[0].into ",
       [](S& s) {
         v1::Split& split = *s.mutable_meshes(0)->mutable_split(0);
         while (split.into_size() <= kSplitDimsMax) split.add_into();
       }},
      {"spec.meshes[0].flatten ",
       [](S& s) {
         while (s.meshes(0).flatten_size() <= 64) s.mutable_meshes(0)->add_flatten();
       }},
      {"spec.meshes[0].flatten[0].name ",
       [&](S& s) { s.mutable_meshes(0)->mutable_flatten(0)->set_name(long_name); }},
      {"spec.meshes[0].flatten[0].of ",
       [&](S& s) { s.mutable_meshes(0)->mutable_flatten(0)->set_of(0, long_name); }},
      {"spec.meshes[0].flatten[0].of ",
       [](S& s) {
         v1::Flatten& flatten = *s.mutable_meshes(0)->mutable_flatten(0);
         while (flatten.of_size() <= kFlattenDimsMax) flatten.add_of("x");
       }},
      {"spec.groups ",
       [](S& s) {
         while (s.groups_size() <= 64) s.add_groups();
       }},
      {"spec.groups[0].name ", [&](S& s) { s.mutable_groups(0)->set_name(long_name); }},
      {"spec.groups[0].groups[0].ranks ",
       [](S& s) {
         s.mutable_groups(0)->mutable_groups(0)->mutable_ranks()->Resize(kWorldSizeMax + 1, 0);
       }},
      {"spec.policy.shrink_dim ", [&](S& s) { s.mutable_policy()->set_shrink_dim(long_name); }},
      {"spec.policy.failure_domain ",
       [&](S& s) { s.mutable_policy()->set_failure_domain(long_name); }},
  };
  for (const Case& c : cases) {
    v1::JobSpec wire = FullSpec();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.path)));
    EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kLimitExceeded)) << c.path;
  }
}

// Legal, with one of everything that a preset can say.
v1::JobSpec PresetJob() {
  v1::JobSpec wire;
  wire.set_name("wan");
  wire.set_world_size(8);
  v1::Mesh& mesh = *wire.add_meshes();
  mesh.set_name("lm");
  v1::Preset& preset = *mesh.mutable_preset();
  preset.set_name("megatron");
  preset.add_params()->set_name("tensor_parallel_size");
  preset.mutable_params(0)->set_integer(2);
  preset.add_params()->set_name("order");
  preset.mutable_params(1)->set_text("tp-dp-pp");
  preset.add_kinds()->set_name("tp");
  preset.mutable_kinds(0)->mutable_backend()->set_host_build(v1::BUILD_MODE_LAZY);
  preset.add_kinds()->set_name("dp");
  return wire;
}

v1::Preset& PresetOf(v1::JobSpec& wire) { return *wire.mutable_meshes(0)->mutable_preset(); }

TEST(WireJobSpecTest, PresetKeepsItsParametersAndTheModesOfItsKinds) {
  const absl::StatusOr<JobSpec> spec = FromProto(PresetJob());

  ASSERT_THAT(spec, IsOk());
  const MeshSpec& mesh = spec->layout.meshes[0];
  const PresetSpec wanted = {
      .name = "megatron",
      .params = {{"tensor_parallel_size", int64_t{2}}, {"order", std::string("tp-dp-pp")}}};
  EXPECT_EQ(mesh.preset, wanted);
  EXPECT_THAT(mesh.host_dim_modes, ElementsAre(DimMode{"tp", BuildMode::kLazy}));
  EXPECT_THAT(ValidateJobSpec(*spec), IsOk());
}

TEST(WireJobSpecTest, PresetsAreHeldToTheirLimits) {
  const std::string long_name(64, 'n');
  const Case cases[] = {
      {"spec.meshes[0].preset.name ", [&](S& s) { PresetOf(s).set_name(long_name); }},
      {"spec.meshes[0].preset.params ",
       [](S& s) {
         while (PresetOf(s).params_size() <= kPresetParamsMax) {
           PresetOf(s).add_params()->CopyFrom(PresetOf(s).params(0));
         }
       }},
      {"spec.meshes[0].preset.params[1].name ",
       [&](S& s) { PresetOf(s).mutable_params(1)->set_name(long_name); }},
      {"spec.meshes[0].preset.params[1].text ",
       [](S& s) {
         PresetOf(s).mutable_params(1)->set_text(std::string(kPresetParamTextBytesMax + 1, 'x'));
       }},
      {"spec.meshes[0].preset.kinds ",
       [](S& s) {
         while (PresetOf(s).kinds_size() <= kPresetKindsMax) PresetOf(s).add_kinds();
       }},
      {"spec.meshes[0].preset.kinds[1].name ",
       [&](S& s) { PresetOf(s).mutable_kinds(1)->set_name(long_name); }},
  };
  for (const Case& c : cases) {
    v1::JobSpec wire = PresetJob();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.path)));
    EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kLimitExceeded)) << c.path;
  }
}

TEST(WireJobSpecTest, MalformedPresetsAreRefusedByField) {
  const Case cases[] = {
      {"spec.meshes[0].preset ", [](S& s) { s.mutable_meshes(0)->add_dims()->set_name("dp"); }},
      {"spec.meshes[0].preset.name ", [](S& s) { PresetOf(s).clear_name(); }},
      {"spec.meshes[0].preset.params[0].name ",
       [](S& s) { PresetOf(s).mutable_params(0)->clear_name(); }},
      {"spec.meshes[0].preset.params[0].value ",
       [](S& s) { PresetOf(s).mutable_params(0)->clear_integer(); }},
      {"spec.meshes[0].preset.params[0].real ",
       [](S& s) { PresetOf(s).mutable_params(0)->set_real(HUGE_VAL); }},
      {"spec.meshes[0].preset.params[1].text ",
       [](S& s) { PresetOf(s).mutable_params(1)->set_text("\xff"); }},
      {"spec.meshes[0].preset.kinds[1].name ",
       [](S& s) { PresetOf(s).mutable_kinds(1)->clear_name(); }},
      {"spec.meshes[0].preset.kinds[0].backend.host_build ",
       [](S& s) {
         PresetOf(s).mutable_kinds(0)->mutable_backend()->set_host_build(
             v1::BUILD_MODE_UNSPECIFIED);
       }},
  };
  for (const Case& c : cases) {
    v1::JobSpec wire = PresetJob();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.path)));
    EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kInvalidRequest)) << c.path;
  }
}

TEST(WireJobSpecTest, MalformedValuesAreRefusedByField) {
  const Case cases[] = {
      {"spec.name ", [](S& s) { s.set_name("\xff"); }},
      {"spec.meshes[0].ranks.count ",
       [](S& s) { s.mutable_meshes(0)->mutable_ranks()->set_count(0); }},
      {"spec.meshes[0].preset ",
       [](S& s) { s.mutable_meshes(0)->mutable_preset()->set_name("x"); }},
      {"spec.backend.device ",
       [](S& s) { s.mutable_backend()->set_device(v1::DEVICE_BACKEND_UNSPECIFIED); }},
      {"spec.backend.host ",
       [](S& s) { s.mutable_backend()->set_host(static_cast<v1::HostBackend>(9)); }},
      {"spec.backend.device_build ",
       [](S& s) { s.mutable_backend()->set_device_build(v1::BUILD_MODE_UNSPECIFIED); }},
      {"spec.groups[0].backend.host_build ",
       [](S& s) {
         s.mutable_groups(0)->mutable_backend()->set_host_build(static_cast<v1::BuildMode>(4));
       }},
      {"spec.policy.on_loss ",
       [](S& s) { s.mutable_policy()->add_on_loss(v1::ON_LOSS_UNSPECIFIED); }},
      {"spec.policy.on_loss ",
       [](S& s) {
         s.mutable_policy()->add_on_loss(v1::ON_LOSS_HOLD);
         s.mutable_policy()->add_on_loss(v1::ON_LOSS_HOLD);
       }},
      {"spec.policy.attempts ", [](S& s) { s.mutable_policy()->set_attempts(0); }},
      {"spec.policy.attempts ", [](S& s) { s.mutable_policy()->set_attempts(101); }},
      {"spec.policy.grow ", [](S& s) { s.mutable_policy()->set_grow(static_cast<v1::Grow>(3)); }},
      {"spec.policy.on_isolation ",
       [](S& s) { s.mutable_policy()->set_on_isolation(static_cast<v1::OnIsolation>(-1)); }},
      {"spec.recovery ", [](S& s) { s.mutable_recovery()->set_seconds(-1); }},
      {"spec.deadlines.lease ",
       [](S& s) { s.mutable_deadlines()->mutable_lease()->set_nanos(1000000000); }},
  };
  for (const Case& c : cases) {
    v1::JobSpec wire = FullSpec();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.path)));
    EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kInvalidRequest)) << c.path;
  }
}

struct UnsupportedCase {
  const char* path;
  const char* value;
  const char* supported;
  std::function<void(v1::JobSpec&)> ask;
};

TEST(WireJobSpecTest, GlooIsTakenForTheHostAndChangesNoMode) {
  v1::JobSpec wire = FullSpec();
  const absl::StatusOr<JobSpec> before = FromProto(wire);
  ASSERT_THAT(before, IsOk());
  wire.mutable_backend()->set_host(v1::HOST_BACKEND_GLOO);
  wire.mutable_meshes(0)->mutable_dims(1)->mutable_backend()->set_host(v1::HOST_BACKEND_GLOO);
  const absl::StatusOr<JobSpec> after = FromProto(wire);
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(*after, *before);
}

TEST(WireJobSpecTest, UnsupportedValuesAreNamedWithWhatIsSupported) {
  const UnsupportedCase cases[] = {
      {"spec.policy.on_loss", "'replace'", "hold",
       [](S& s) { s.mutable_policy()->add_on_loss(v1::ON_LOSS_REPLACE); }},
      {"spec.policy.on_loss", "'shrink'", "hold",
       [](S& s) {
         s.mutable_policy()->add_on_loss(v1::ON_LOSS_HOLD);
         s.mutable_policy()->add_on_loss(v1::ON_LOSS_SHRINK);
       }},
      {"spec.policy.failure_domain", "'dp'", "job",
       [](S& s) { s.mutable_policy()->set_failure_domain("dp"); }},
      {"spec.policy.on_isolation", "'fence'", "continue",
       [](S& s) { s.mutable_policy()->set_on_isolation(v1::ON_ISOLATION_FENCE); }},
      {"spec.backend.device", "'nccl'", "auto",
       [](S& s) { s.mutable_backend()->set_device(v1::DEVICE_BACKEND_NCCL); }},
      {"spec.backend.host", "'shm'", "auto",
       [](S& s) { s.mutable_backend()->set_host(v1::HOST_BACKEND_SHM); }},
      {"spec.meshes[0].backend.host", "'shm'", "auto",
       [](S& s) { s.mutable_meshes(0)->mutable_backend()->set_host(v1::HOST_BACKEND_SHM); }},
      {"spec.meshes[0].dims[1].backend.device_build", "'lazy'", "eager",
       [](S& s) {
         s.mutable_meshes(0)->mutable_dims(1)->mutable_backend()->set_device_build(
             v1::BUILD_MODE_LAZY);
       }},
      {"spec.groups[0].backend.device_build", "'none'", "eager",
       [](S& s) { s.mutable_groups(0)->mutable_backend()->set_device_build(v1::BUILD_MODE_NONE); }},
  };
  for (const UnsupportedCase& c : cases) {
    v1::JobSpec wire = FullSpec();
    c.ask(wire);
    EXPECT_THAT(FromProto(wire),
                StatusIs(StatusCode::kUnimplemented,
                         AllOf(HasSubstr(c.path), HasSubstr(c.value), HasSubstr(c.supported))));
    EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kUnsupportedMode)) << c.path;
  }
}

TEST(WireJobSpecTest, WhatIsSupportedMayBeSaidOutright) {
  v1::JobSpec wire = FullSpec();
  wire.mutable_backend()->set_device(v1::DEVICE_BACKEND_AUTO);
  wire.mutable_backend()->set_host(v1::HOST_BACKEND_AUTO);
  wire.mutable_backend()->set_device_build(v1::BUILD_MODE_EAGER);
  wire.mutable_policy()->add_on_loss(v1::ON_LOSS_HOLD);
  wire.mutable_policy()->set_failure_domain("job");
  wire.mutable_policy()->set_shrink_dim("dp");
  wire.mutable_policy()->set_attempts(5);
  wire.mutable_policy()->set_grow(v1::GROW_AUTO);
  wire.mutable_policy()->set_on_isolation(v1::ON_ISOLATION_CONTINUE);
  EXPECT_EQ(FromProto(wire), FromProto(FullSpec()));
  EXPECT_THAT(FromProto(wire), IsOk());
}

}  // namespace
}  // namespace muster
