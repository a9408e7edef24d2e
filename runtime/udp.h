// UDP: datagrams to and from anybody, or one peer (connect()), or a multicast group.
//
//   UdpSocket socket = UdpSocket::bind(Address::parse("[::]:5353").value()).value();
//   const Result<Datagram> datagram = co_await socket.receive(buffer);
//
// Threads, lifetime, cancellation: runtime/datagram_socket.h.
#pragma once

#include <cstdint>

#include "runtime/datagram_socket.h"

namespace volt {

struct UdpOptions {
  bool share_port = false;   // with other sockets of this user (SO_REUSEPORT): each datagram goes to one of them
  bool share_group = false;  // with other sockets of this machine (SO_REUSEADDR): each gets what is sent to its groups
  bool broadcast = false;    // may send to a network's broadcast address
  std::uint8_t multicast_hops = 1;  // how many networks what it sends to a group may pass
  bool multicast_loopback = true;   // this machine gets what it sends to a group, too
};

class UdpSocket : public DatagramSocket {
 public:
  // Errors: as of socket(2), setsockopt(2) and bind(2).
  [[nodiscard]] static Result<UdpSocket> bind(const Address& address, UdpOptions options = {});

  // Receives what is sent to that group, on the interface of that index (if_nametoindex(3)); 0: as the routes say.
  // Errors: as of setsockopt(2).
  [[nodiscard]] Result<void> join_group(const Address& group, std::uint32_t interface_index = 0) noexcept;
  [[nodiscard]] Result<void> leave_group(const Address& group, std::uint32_t interface_index = 0) noexcept;

 private:
  using DatagramSocket::DatagramSocket;
};

}  // namespace volt
