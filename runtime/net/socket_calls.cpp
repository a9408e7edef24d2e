// SPDX-License-Identifier: MIT

#include "runtime/net/socket_calls.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace volt::net {
namespace {

Result<Address> address_by(int (*call)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (call(fd, address, &bytes) != 0) return system_error(errno);
  return Address::from(address, bytes);
}

}  // namespace

std::unexpected<std::error_code> transfer_error(int number) {
  if (number == EAGAIN) return error(std::errc::operation_would_block);
  return system_error(number);
}

std::unexpected<std::error_code> close_failed(int fd) {
  const int number = errno;
  ::close(fd);
  return system_error(number);
}

Result<int> open_socket(int family, int type) {
  const int fd = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return system_error(errno);
  return fd;
}

Result<int> socket_option(int fd, int option) {
  int value = 0;
  socklen_t bytes = sizeof value;
  if (::getsockopt(fd, SOL_SOCKET, option, &value, &bytes) != 0) return system_error(errno);
  return value;
}

Result<Address> local_address_of(int fd) { return address_by(::getsockname, fd); }
Result<Address> peer_address_of(int fd) { return address_by(::getpeername, fd); }

}  // namespace volt::net
