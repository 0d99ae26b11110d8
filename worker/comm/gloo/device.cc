#include "worker/comm/gloo/device.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "gloo/transport/tcp/address.h"
#include "worker/comm/gloo/sigpipe.h"

namespace muster {
namespace {

using Transport = gloo::transport::tcp::Device;

// The device's own attributes, without the name look-up that gloo would do.
gloo::transport::tcp::attr AttributesOf(const SocketAddress& address) {
  gloo::transport::tcp::attr attributes;
  attributes.ai_family = address.storage().ss_family;
  attributes.ai_socktype = SOCK_STREAM;
  attributes.ai_protocol = 0;
  attributes.ai_addr = address.storage();
  attributes.ai_addrlen = static_cast<int>(address.length());
  return attributes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> Device::Open(const SocketAddress& address) {
  MUSTER_RETURN_IF_ERROR(CheckBindable(address));
  const ScopedSigpipeBlock block;  // The device's thread inherits it.
  const int event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event_fd == -1) {
    return absl::ResourceExhaustedError(absl::StrCat("no eventfd: ", std::strerror(errno)));
  }
  try {
    auto transport = std::make_shared<Transport>(AttributesOf(address));
    return std::unique_ptr<Device>(new Device(std::move(transport), event_fd));
  } catch (const std::exception& error) {
    close(event_fd);
    return absl::ResourceExhaustedError(
        absl::StrCat("gloo cannot open ", address.ToString(), ": ", error.what()));
  }
}

Device::Device(std::shared_ptr<Transport> transport, int event_fd)
    : transport_(std::move(transport)), event_fd_(event_fd), waker_(event_fd) {
  constexpr int kReadable = 1;  // EPOLLIN
  transport_->registerDescriptor(event_fd_, kReadable, &waker_);
}

Device::~Device() {
  transport_->unregisterDescriptor(event_fd_, &waker_);
  close(event_fd_);
}

void Device::Waker::handleEvents(int /*events*/) {
  if (turns_left_.fetch_sub(1) > 0) return;
  turns_left_ = 0;
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t bytes = read(fd_, &count, sizeof(count));
}

void Device::Waker::Start() {
  turns_left_ = kTurnsMax;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t bytes = write(fd_, &one, sizeof(one));
}

Device::Hurry::Hurry(Device* device) : device_(device) { device_->waker_.Start(); }

Device::Hurry::~Hurry() { device_->waker_.Stop(); }

}  // namespace muster

namespace gloo::transport::tcp {

// Stands in for the packaged function of this name, which throws if the peer has reset the
// connection already. It is called on the transport's own thread, where nobody catches that: anyone
// who can reach a listening port could end the process. A pair uses the name in messages only, and
// meets the reset when it reads next.
Address Address::fromPeerName(int fd) {
  sockaddr_storage peer{};
  socklen_t length = sizeof(peer);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) != 0) {
    peer = {};
    peer.ss_family = AF_INET;  // Shown as 0.0.0.0:0.
  }
  return Address(peer);
}

}  // namespace gloo::transport::tcp
