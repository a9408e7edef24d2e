// SPDX-License-Identifier: MIT

#include "http/transport/socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>
#include <span>

namespace volt::http::transport {
namespace {

constexpr std::size_t kV4Offset = 12;  // of an IPv4 address within its mapped IPv6 form

template <class SocketAddress>
Address address_from(const SocketAddress& socket_address) noexcept {
  return Address::from(reinterpret_cast<const sockaddr*>(&socket_address), sizeof socket_address);
}

}  // namespace

std::optional<message::IpAddress> ip_of(const Address& address) noexcept {
  if (address.family() == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, address.data(), sizeof v4);
    return message::IpAddress::from_v4(std::as_bytes(std::span<const in_addr, 1>(&v4.sin_addr, 1)));
  }
  if (address.family() == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, address.data(), sizeof v6);
    return message::IpAddress::from_v6(std::as_bytes(std::span<const in6_addr, 1>(&v6.sin6_addr, 1)));
  }
  return std::nullopt;
}

Address socket_address(const message::IpAddress& ip, std::uint16_t port) noexcept {
  if (ip.is_v4()) {
    sockaddr_in v4{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    std::memcpy(&v4.sin_addr, ip.bytes().data() + kV4Offset, sizeof v4.sin_addr);
    return address_from(v4);
  }
  sockaddr_in6 v6{
      .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_flowinfo = 0, .sin6_addr = {}, .sin6_scope_id = 0};
  std::memcpy(&v6.sin6_addr, ip.bytes().data(), sizeof v6.sin6_addr);
  return address_from(v6);
}

}  // namespace volt::http::transport
