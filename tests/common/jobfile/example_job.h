#ifndef MUSTER_TESTS_COMMON_JOBFILE_EXAMPLE_JOB_H_
#define MUSTER_TESTS_COMMON_JOBFILE_EXAMPLE_JOB_H_

#include <string_view>

namespace muster {

// The job file of the design, which shows most of what a file may say.
inline constexpr std::string_view kExampleJob = R"(apiVersion: muster/v1
kind: Job
metadata: {name: wan}
spec:
  worldSize: 8
  spares: 1
  meshes:
  - {name: dit, preset: vllm-omni, params: {cfg_parallel_size: 2, ulysses_degree: 2, ring_degree: 2}}
  - {name: enc, dims: [rest=4, tp=2], flatten: [{name: all, of: [rest, tp]}]}
  - {name: lm, ranks: [0, 8], dims: [dp=1, sp=4, tp=2], split: [{dim: sp, into: [ring=2, ulysses=2]}]}   # ranks: first, count
  - {name: hsdp, dims: [replicate=2, shard=4]}
  groups: [{name: draft, ranks: [[0, 1], [2, 3]]}]
  backend: {device: auto, host: auto}       # per mesh or dim too: eager (default) | lazy | none
  policy: {onLoss: [hold], shrinkDim: dp, failureDomain: job}
  recovery: 30s
)";

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_JOBFILE_EXAMPLE_JOB_H_
