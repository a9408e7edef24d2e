// SPDX-License-Identifier: MIT

// UDP: datagrams to and from any address, one peer (connect()), or a multicast group.
//
//   UdpSocket socket = UdpSocket::bind(Address::parse("[::]:5353").value()).value();
//   const Result<Datagram> datagram = co_await socket.receive(buffer);
//
// Threads, lifetime, cancellation: see runtime/datagram_socket.h.
#pragma once

#include <cstdint>

#include "runtime/datagram_socket.h"

namespace volt {

struct UdpOptions {
  bool share_port = false;   // share the port with sockets of this user (SO_REUSEPORT); one receives each datagram
  bool share_group = false;  // share a group's port (SO_REUSEADDR); each socket receives its groups' datagrams
  bool broadcast = false;    // allow sending to a network's broadcast address
  std::uint8_t multicast_hops = 1;  // hop limit of datagrams that are sent to a group
  bool multicast_loopback = true;   // deliver datagrams sent to a group to this machine too
};

class UdpSocket : public DatagramSocket {
 public:
  // Creates a socket that is bound to `address`. Errors: those of socket(2), setsockopt(2) and bind(2).
  [[nodiscard]] static Result<UdpSocket> bind(const Address& address, UdpOptions options = {});

  // Join or leave a multicast group on the interface with that index (if_nametoindex(3)); 0 lets the routing table
  // choose. Errors: those of setsockopt(2).
  [[nodiscard]] Result<void> join_group(const Address& group, std::uint32_t interface_index = 0) noexcept;
  [[nodiscard]] Result<void> leave_group(const Address& group, std::uint32_t interface_index = 0) noexcept;

 private:
  using DatagramSocket::DatagramSocket;
};

}  // namespace volt
