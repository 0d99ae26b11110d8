#ifndef MUSTER_WORKER_COMM_GLOO_DEVICE_H_
#define MUSTER_WORKER_COMM_GLOO_DEVICE_H_

#include <atomic>
#include <memory>

#include "absl/status/statusor.h"
#include "gloo/transport/tcp/device.h"
#include "worker/comm/gloo/address.h"

namespace muster {

// The gloo device of a process: one thread that moves the bytes of all its connections, bound to
// one address. It costs a thread and two descriptors, whatever the number of groups.
//
// Lifetime: longer than everything made from it. Must be opened after a fork, not before.
//
// Thread safety: any method from any thread.
class Device {
 public:
  // Opens the device on `address`, whose port does not count.
  //
  // kInvalidArgument if it is not an address of this machine, kResourceExhausted if no thread or
  // descriptor is left.
  static absl::StatusOr<std::unique_ptr<Device>> Open(const SocketAddress& address);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::shared_ptr<gloo::transport::tcp::Device>& transport() const { return transport_; }

  // Makes closing and dialling fast for the length of a scope. Both wait in gloo for a turn of the
  // device's loop, which comes after 10 ms when nothing else happens, and for each connection
  // again. In the scope the loop turns all the time, up to kTurnsMax times.
  class Hurry {
   public:
    explicit Hurry(Device* device);
    ~Hurry();
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;

   private:
    Device* const device_;
  };

 private:
  static constexpr int kTurnsMax = 20000;

  // Keeps the loop awake through an event that stays pending while turns are left.
  class Waker final : public gloo::transport::tcp::Handler {
   public:
    explicit Waker(int fd) : fd_(fd) {}
    void handleEvents(int events) override;
    void Start();
    void Stop() { turns_left_ = 0; }

   private:
    const int fd_;
    std::atomic<int> turns_left_{0};
  };

  Device(std::shared_ptr<gloo::transport::tcp::Device> transport, int event_fd);

  const std::shared_ptr<gloo::transport::tcp::Device> transport_;
  const int event_fd_;
  Waker waker_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_DEVICE_H_
