#include "worker/comm/gloo/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

TEST(SocketAddressTest, EndpointsSurviveTheirText) {
  for (const char* text : {"127.0.0.1:4321", "10.1.2.3:65535", "[::1]:1", "[fd00::12:3]:8080"}) {
    const auto address = SocketAddress::ParseEndpoint(text);
    ASSERT_THAT(address, IsOk());
    EXPECT_EQ(address->ToString(), text);
    EXPECT_EQ(SocketAddress::FromStorage(address->storage()).ToString(), text);
  }
}

TEST(SocketAddressTest, TextThatIsNoEndpointIsRefused) {
  for (const char* text :
       {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:8x", "::1:80", "[127.0.0.1]:80", "[::1]", "[]:80", "host:80", "0.0.0.0:80",
        "[::]:80", "[fe80::1%eth0]:80", "224.0.0.1:80", "255.255.255.255:80", "1.2.3:80"}) {
    EXPECT_THAT(SocketAddress::ParseEndpoint(text), StatusIs(absl::StatusCode::kInvalidArgument))
        << "'" << text << "'";
  }
}

TEST(SocketAddressTest, OfTwoEndsExactlyOneDials) {
  const auto at = [](const char* text) { return *SocketAddress::ParseEndpoint(text); };
  EXPECT_TRUE(at("10.0.0.2:1").Dials(at("10.0.0.1:9")));
  EXPECT_FALSE(at("10.0.0.1:9").Dials(at("10.0.0.2:1")));
  // Ports compare as they are on the wire, taken for a number of this machine.
  EXPECT_NE(at("10.0.0.1:256").Dials(at("10.0.0.1:1")), at("10.0.0.1:1").Dials(at("10.0.0.1:256")));
  EXPECT_TRUE(at("[fd00::2]:1").Dials(at("[fd00::1]:9")));
}

TEST(SocketAddressTest, PortIsListedWhileItIsListenedOn) {
  const SocketAddress any = *SocketAddress::Parse("127.0.0.1", 0);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&any.storage()), any.length()), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  sockaddr_storage bound = {};
  socklen_t length = sizeof(bound);
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length), 0);

  const uint16_t port = SocketAddress::FromStorage(bound).port();
  EXPECT_EQ(ListeningPorts().count(port), 1U);
  close(fd);
  EXPECT_EQ(ListeningPorts().count(port), 0U);
}

TEST(SocketAddressTest, BytesThatTheOtherSystemHasNotTakenAreCounted) {
  const SocketAddress any = *SocketAddress::Parse("127.0.0.1", 0);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&any.storage()), any.length()), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  sockaddr_storage name = {};
  socklen_t length = sizeof(name);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&name), &length), 0);
  const int sender = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(sender, reinterpret_cast<const sockaddr*>(&name), length), 0);
  const int receiver = accept(listener, nullptr, nullptr);
  ASSERT_EQ(getsockname(sender, reinterpret_cast<sockaddr*>(&name), &length), 0);
  const std::set<uint16_t> ports = {SocketAddress::FromStorage(name).port()};

  EXPECT_EQ(UntakenBytes(ports), 0);
  std::vector<char> bytes(size_t{1} << 20U);
  ssize_t sent = 0;  // More than the receiver's system takes unasked.
  while (true) {
    const ssize_t more = send(sender, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (more <= 0) break;
    sent += more;
  }
  EXPECT_GT(UntakenBytes(ports), 0);
  EXPECT_EQ(UntakenBytes({}), 0);
  while (sent > 0) sent -= recv(receiver, bytes.data(), bytes.size(), 0);
  for (int i = 0; i < 100000 && UntakenBytes(ports) > 0; ++i) sched_yield();  // The last receipt.
  EXPECT_EQ(UntakenBytes(ports), 0);
  for (const int fd : {listener, sender, receiver}) close(fd);
}

TEST(SocketAddressTest, OnlyAddressesOfThisMachineCanBeBound) {
  EXPECT_THAT(CheckBindable(*SocketAddress::Parse("127.0.0.1", 0)), IsOk());
  EXPECT_THAT(CheckBindable(*SocketAddress::Parse("192.0.2.1", 0)),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace muster
