#include "common/jobfile/jobfile.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/wire/job_spec.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/common/jobfile/example_job.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

// What `file` says, as protobuf text.
std::string Read(const std::string& file) {
  const absl::StatusOr<v1::JobSpec> spec = ParseJobFile(file, "wan.yaml");
  EXPECT_THAT(spec, IsOk());
  return spec.ok() ? spec->DebugString() : "";
}

// A message of the protobuf text `text`, as protobuf text in its usual form.
template <typename Message>
std::string Usual(const char* text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message.DebugString();
}

std::string FileWith(const std::string& spec) {
  return absl::StrCat("apiVersion: muster/v1\nkind: Job\nmetadata: {name: wan}\nspec:\n", spec);
}

TEST(JobFileTest, ExampleOfTheDesignGivesItsSpec) {
  EXPECT_EQ(Read(std::string(kExampleJob)), Usual<v1::JobSpec>(R"(
    name: "wan" world_size: 8 spares: 1
    meshes {
      name: "dit"
      preset {
        name: "vllm-omni"
        params { name: "cfg_parallel_size" integer: 2 }
        params { name: "ulysses_degree" integer: 2 }
        params { name: "ring_degree" integer: 2 }
      }
    }
    meshes {
      name: "enc"
      dims { name: "rest" size: 4 } dims { name: "tp" size: 2 }
      flatten { name: "all" of: "rest" of: "tp" }
    }
    meshes {
      name: "lm" ranks { first: 0 count: 8 }
      dims { name: "dp" size: 1 } dims { name: "sp" size: 4 } dims { name: "tp" size: 2 }
      split { dim: "sp" into { name: "ring" size: 2 } into { name: "ulysses" size: 2 } }
    }
    meshes { name: "hsdp" dims { name: "replicate" size: 2 } dims { name: "shard" size: 4 } }
    groups { name: "draft" groups { ranks: 0 ranks: 1 } groups { ranks: 2 ranks: 3 } }
    backend { device: DEVICE_BACKEND_AUTO host: HOST_BACKEND_AUTO }
    policy { on_loss: ON_LOSS_HOLD shrink_dim: "dp" failure_domain: "job" }
    recovery { seconds: 30 }
  )"));
}

TEST(JobFileTest, ExampleIsAValidJob) {
  const absl::StatusOr<v1::JobSpec> wire = ParseJobFile(kExampleJob, "wan.yaml");
  ASSERT_THAT(wire, IsOk());
  const absl::StatusOr<JobSpec> spec = FromProto(*wire);

  ASSERT_THAT(spec, IsOk());
  const absl::StatusOr<Layout> layout = ValidateJobSpec(*spec);
  ASSERT_THAT(layout, IsOk());
  EXPECT_THAT(layout->Find("wan/lm.ulysses#3"), IsOk());
  const absl::StatusOr<GroupId> cfg = layout->Find("wan/dit.cfg#3");
  ASSERT_THAT(cfg, IsOk());
  EXPECT_THAT(layout->Members(*cfg), testing::ElementsAre(GlobalRank(3), GlobalRank(7)));
}

TEST(JobFileTest, SmallestFileSaysNameAndWorldSize) {
  EXPECT_EQ(Read(FileWith("  worldSize: 3\n")), Usual<v1::JobSpec>(R"(name: "wan" world_size: 3)"));
}

TEST(JobFileTest, JsonIsYamlToo) {
  EXPECT_EQ(Read(R"({"apiVersion": "muster/v1", "kind": "Job", "metadata": {"name": "wan"},
                     "spec": {"worldSize": 3, "recovery": "45s"}})"),
            Usual<v1::JobSpec>(R"(name: "wan" world_size: 3 recovery { seconds: 45 })"));
}

TEST(JobFileTest, DocumentMarkersAreFine) {
  EXPECT_EQ(Read(absl::StrCat("# a job\n---\n", FileWith("  worldSize: 3\n"), "...\n")),
            Usual<v1::JobSpec>(R"(name: "wan" world_size: 3)"));
}

TEST(JobFileTest, TimesHaveUnits) {
  EXPECT_EQ(Read(FileWith(R"(
  worldSize: 3
  recovery: 2m
  deadlines:
    lease: 500ms
    heartbeat: 1.5s
    prepare: 7s
    build: 1h30m
    retire: 9s
    abort: 250us
    coordinatorLost: 11s
    join: 720h
)")),
            Usual<v1::JobSpec>(R"(
    name: "wan" world_size: 3 recovery { seconds: 120 }
    deadlines {
      lease { nanos: 500000000 }
      heartbeat { seconds: 1 nanos: 500000000 }
      prepare { seconds: 7 }
      build { seconds: 5400 }
      retire { seconds: 9 }
      abort { nanos: 250000 }
      coordinator_lost { seconds: 11 }
      join { seconds: 2592000 }
    }
  )"));
}

TEST(JobFileTest, BackendsAreLibrariesAndModesOnEveryLevel) {
  EXPECT_EQ(Read(FileWith(R"(
  worldSize: 6
  backend: {host: lazy}
  meshes:
  - name: dit
    dims: [dp=3, {name: tp, size: 2, backend: {device: [lazy, nccl], host: [gloo, eager]}}]
    split: [{dim: dp, into: [{name: ring, size: 3, backend: {host: none}}]}]
    flatten: [{name: all, of: [dp, tp], backend: {host: auto}}]
    backend: {device: none, host: [shm]}
  groups: [{name: draft, ranks: [[5, 4]], backend: {device: [auto, eager]}}]
)")),
            Usual<v1::JobSpec>(R"(
    name: "wan" world_size: 6
    backend { host_build: BUILD_MODE_LAZY }
    meshes {
      name: "dit"
      dims { name: "dp" size: 3 }
      dims {
        name: "tp" size: 2
        backend {
          device: DEVICE_BACKEND_NCCL device_build: BUILD_MODE_LAZY
          host: HOST_BACKEND_GLOO host_build: BUILD_MODE_EAGER
        }
      }
      split { dim: "dp" into { name: "ring" size: 3 backend { host_build: BUILD_MODE_NONE } } }
      flatten { name: "all" of: "dp" of: "tp" backend { host: HOST_BACKEND_AUTO } }
      backend { device_build: BUILD_MODE_NONE host: HOST_BACKEND_SHM }
    }
    groups {
      name: "draft" groups { ranks: 5 ranks: 4 }
      backend { device: DEVICE_BACKEND_AUTO device_build: BUILD_MODE_EAGER }
    }
  )"));
}

TEST(JobFileTest, PoliciesSayEverythingThatTheMessageCan) {
  EXPECT_EQ(Read(FileWith(R"(
  worldSize: 3
  policy:
    onLoss: [replace, shrink, hold]
    shrinkDim: dp
    failureDomain: cfg
    allowCrossing: true
    attempts: 5
    grow: auto
    onIsolation: fence
)")),
            Usual<v1::JobSpec>(R"(
    name: "wan" world_size: 3
    policy {
      on_loss: ON_LOSS_REPLACE on_loss: ON_LOSS_SHRINK on_loss: ON_LOSS_HOLD
      shrink_dim: "dp" failure_domain: "cfg" allow_crossing: true attempts: 5
      grow: GROW_AUTO on_isolation: ON_ISOLATION_FENCE
    }
  )"));
}

TEST(JobFileTest, ParametersOfPresetsAreTyped) {
  EXPECT_EQ(Read(FileWith(R"(
  worldSize: 3
  meshes:
  - name: lm
    preset: megatron
    params: {tp: 2, order: tp-cp-ep, "low": true, ratio: 1.5, tiny: -2e-3, quoted: "7", odd: e}
)")),
            Usual<v1::JobSpec>(R"(
    name: "wan" world_size: 3
    meshes {
      name: "lm"
      preset {
        name: "megatron"
        params { name: "tp" integer: 2 }
        params { name: "order" text: "tp-cp-ep" }
        params { name: "low" flag: true }
        params { name: "ratio" real: 1.5 }
        params { name: "tiny" real: -0.002 }
        params { name: "quoted" text: "7" }
        params { name: "odd" text: "e" }
      }
    }
  )"));
}

TEST(JobFileTest, PresetsTakeListsAndBackendsOfKinds) {
  EXPECT_EQ(Read(FileWith(R"(
  worldSize: 4
  meshes:
  - name: lm
    preset: yunchang
    params: {sp_group_ranks: [[0, 2], [1, 3]], none: [], levels: [2, "4"]}
    kinds: [{name: ring, backend: {host: lazy}}, {name: ulysses}]
)")),
            Usual<v1::JobSpec>(R"(
    name: "wan" world_size: 4
    meshes {
      name: "lm"
      preset {
        name: "yunchang"
        params { name: "sp_group_ranks" text: "[[0, 2], [1, 3]]" }
        params { name: "none" text: "[]" }
        params { name: "levels" text: "[2, 4]" }
        kinds { name: "ring" backend { host_build: BUILD_MODE_LAZY } }
        kinds { name: "ulysses" }
      }
    }
  )"));
}

TEST(JobFileTest, WordsThatOtherReadersTakeForSwitchesAreNames) {
  EXPECT_EQ(Read("{apiVersion: muster/v1, kind: Job, metadata: {name: no}, spec: {worldSize: 3}}"),
            Usual<v1::JobSpec>(R"(name: "no" world_size: 3)"));
}

TEST(JobFileTest, ValuesThatCannotBeAreLeftToTheChecksOfTheJob) {
  EXPECT_EQ(Read(FileWith("  worldSize: -7\n  spares: 9999\n  meshes: [{name: A, dims: [b=0]}]\n")),
            Usual<v1::JobSpec>(R"(
    name: "wan" world_size: -7 spares: 9999 meshes { name: "A" dims { name: "b" size: 0 } }
  )"));
}

}  // namespace
}  // namespace muster
