// SPDX-License-Identifier: MIT

#include "runtime/udp.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "runtime/net/socket_calls.h"

namespace volt {
namespace {

int level_of(const Address& address) noexcept { return address.family() == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP; }

bool set_option(int fd, int level, int option, int value) noexcept {
  return ::setsockopt(fd, level, option, &value, sizeof value) == 0;
}

bool set_options(int fd, const Address& address, const UdpOptions& options) noexcept {
  const bool v6 = address.family() == AF_INET6;
  const int hops = v6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL;
  const int loopback = v6 ? IPV6_MULTICAST_LOOP : IP_MULTICAST_LOOP;
  return set_option(fd, SOL_SOCKET, SO_REUSEPORT, options.share_port ? 1 : 0) &&
         set_option(fd, SOL_SOCKET, SO_REUSEADDR, options.share_group ? 1 : 0) &&
         set_option(fd, SOL_SOCKET, SO_BROADCAST, options.broadcast ? 1 : 0) &&
         set_option(fd, level_of(address), hops, options.multicast_hops) &&
         set_option(fd, level_of(address), loopback, options.multicast_loopback ? 1 : 0);
}

// RFC 3678 section 5: this call serves both address families.
Result<void> change_group(int fd, int option, const Address& group, std::uint32_t interface_index) noexcept {
  group_req request{};
  request.gr_interface = interface_index;
  std::memcpy(&request.gr_group, group.data(), group.size_bytes());
  if (::setsockopt(fd, level_of(group), option, &request, sizeof request) != 0) return system_error(errno);
  return {};
}

}  // namespace

Result<UdpSocket> UdpSocket::bind(const Address& address, UdpOptions options) {
  const Result<int> fd = net::open_socket(address.family(), SOCK_DGRAM);
  if (!fd) return std::unexpected(fd.error());
  if (!set_options(*fd, address, options)) return net::close_failed(*fd);
  if (::bind(*fd, address.data(), address.size_bytes()) != 0) return net::close_failed(*fd);
  return UdpSocket(*fd);
}

Result<void> UdpSocket::join_group(const Address& group, std::uint32_t interface_index) noexcept {
  return change_group(fd(), MCAST_JOIN_GROUP, group, interface_index);
}

Result<void> UdpSocket::leave_group(const Address& group, std::uint32_t interface_index) noexcept {
  return change_group(fd(), MCAST_LEAVE_GROUP, group, interface_index);
}

}  // namespace volt
