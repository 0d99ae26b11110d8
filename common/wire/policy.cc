#include "common/wire/policy.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

constexpr int32_t kAttemptsMax = 100;

constexpr std::pair<v1::BuildMode, BuildMode> kBuildModes[] = {
    {v1::BUILD_MODE_EAGER, BuildMode::kEager},
    {v1::BUILD_MODE_LAZY, BuildMode::kLazy},
    {v1::BUILD_MODE_NONE, BuildMode::kNone},
};

// Enums of which every known number is legal are paired with themselves.
constexpr std::pair<v1::OnLoss, v1::OnLoss> kOnLoss[] = {
    {v1::ON_LOSS_HOLD, v1::ON_LOSS_HOLD},
    {v1::ON_LOSS_REPLACE, v1::ON_LOSS_REPLACE},
    {v1::ON_LOSS_SHRINK, v1::ON_LOSS_SHRINK},
};
constexpr std::pair<v1::Grow, v1::Grow> kGrow[] = {
    {v1::GROW_MANUAL, v1::GROW_MANUAL},
    {v1::GROW_AUTO, v1::GROW_AUTO},
};
constexpr std::pair<v1::OnIsolation, v1::OnIsolation> kOnIsolation[] = {
    {v1::ON_ISOLATION_CONTINUE, v1::ON_ISOLATION_CONTINUE},
    {v1::ON_ISOLATION_FENCE, v1::ON_ISOLATION_FENCE},
};
constexpr std::pair<v1::DeviceBackend, v1::DeviceBackend> kDeviceBackends[] = {
    {v1::DEVICE_BACKEND_AUTO, v1::DEVICE_BACKEND_AUTO},
    {v1::DEVICE_BACKEND_NCCL, v1::DEVICE_BACKEND_NCCL},
};
constexpr std::pair<v1::HostBackend, v1::HostBackend> kHostBackends[] = {
    {v1::HOST_BACKEND_AUTO, v1::HOST_BACKEND_AUTO},
    {v1::HOST_BACKEND_GLOO, v1::HOST_BACKEND_GLOO},
    {v1::HOST_BACKEND_SHM, v1::HOST_BACKEND_SHM},
};

void CheckOnLoss(WireReader& reader, const v1::Policy& wire) {
  const int count = reader.Count("on_loss", wire.on_loss_size(), 3);
  for (int i = 0; i < count; ++i) {
    const auto answer = reader.Enum<v1::OnLoss, v1::OnLoss>("on_loss", wire.on_loss(i), kOnLoss);
    const auto before = wire.on_loss().begin();
    if (std::find(before, before + i, wire.on_loss(i)) != before + i) {
      reader.Refuse("on_loss", "has an answer twice, want each once");
    }
    if (answer == v1::ON_LOSS_REPLACE) reader.Unsupported("on_loss", "replace", "hold");
    if (answer == v1::ON_LOSS_SHRINK) reader.Unsupported("on_loss", "shrink", "hold");
  }
}

}  // namespace

void CheckPolicy(WireReader& reader, const v1::Policy& wire) {
  CheckOnLoss(reader, wire);
  reader.Text("shrink_dim", wire.shrink_dim(), 0, kLayoutNameBytesMax);
  const std::string domain =
      reader.Text("failure_domain", wire.failure_domain(), 0, kLayoutNameBytesMax);
  if (!domain.empty() && domain != "job") reader.Unsupported("failure_domain", domain, "job");
  if (wire.has_attempts()) reader.Int32("attempts", wire.attempts(), 1, kAttemptsMax);
  if (wire.has_grow()) reader.Enum<v1::Grow, v1::Grow>("grow", wire.grow(), kGrow);
  if (wire.has_on_isolation() &&
      reader.Enum<v1::OnIsolation, v1::OnIsolation>("on_isolation", wire.on_isolation(),
                                                    kOnIsolation) == v1::ON_ISOLATION_FENCE) {
    reader.Unsupported("on_isolation", "fence", "continue");
  }
}

BuildMode ReadHostMode(WireReader& reader, const v1::Backend& wire, BuildMode inherited) {
  if (wire.has_device() &&
      reader.Enum<v1::DeviceBackend, v1::DeviceBackend>("device", wire.device(), kDeviceBackends) !=
          v1::DEVICE_BACKEND_AUTO) {
    reader.Unsupported("device", "nccl", "auto");
  }
  if (wire.has_host()) {
    const auto host =
        reader.Enum<v1::HostBackend, v1::HostBackend>("host", wire.host(), kHostBackends);
    if (host == v1::HOST_BACKEND_SHM) reader.Unsupported("host", "shm", "auto");
  }
  if (wire.has_device_build()) {
    const auto mode =
        reader.Enum<v1::BuildMode, BuildMode>("device_build", wire.device_build(), kBuildModes);
    if (mode == BuildMode::kLazy) reader.Unsupported("device_build", "lazy", "eager");
    if (mode == BuildMode::kNone) reader.Unsupported("device_build", "none", "eager");
  }
  if (!wire.has_host_build()) return inherited;
  return reader.Enum<v1::BuildMode, BuildMode>("host_build", wire.host_build(), kBuildModes);
}

v1::BuildMode ToProto(BuildMode mode) {
  return WireEnum<v1::BuildMode, BuildMode>(mode, kBuildModes);
}

}  // namespace muster
