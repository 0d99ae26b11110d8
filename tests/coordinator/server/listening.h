#ifndef MUSTER_TESTS_COORDINATOR_SERVER_LISTENING_H_
#define MUSTER_TESTS_COORDINATOR_SERVER_LISTENING_H_

#include <set>
#include <string>

namespace muster::coordinator {

// Every address on which this process listens for TCP, as HOST:PORT with IPv6 hosts in brackets:
// what the kernel says, by the inodes of the process's own sockets. An address of IPv4 is written
// as such, whichever family its socket has.
std::set<std::string> ListeningAddresses();

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_SERVER_LISTENING_H_
