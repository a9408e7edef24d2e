// SPDX-License-Identifier: MIT

#include "runtime/stream_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "runtime/net/socket_calls.h"

namespace volt {
namespace {

using net::transfer_error;

// System calls instead of recv(3) and send(3), which are cancellation points of POSIX threads, a cost on each call.
ssize_t receive(int fd, void* into, std::size_t bytes, int flags) noexcept {
  return ::syscall(SYS_recvfrom, fd, into, bytes, flags, nullptr, nullptr);
}
ssize_t transmit(int fd, const void* from, std::size_t bytes, int flags) noexcept {
  return ::syscall(SYS_sendto, fd, from, bytes, MSG_NOSIGNAL | flags, nullptr, 0);
}

}  // namespace

Result<std::size_t> StreamSocket::try_read(std::span<std::byte> into) noexcept {
  const Result<std::size_t> count = try_receive(into, 0);
  // A read that did not fill its buffer has drained the socket; the next edge reports further data.
  socket_->set_more_to_read(count && *count == into.size());
  return count;
}

Result<std::size_t> StreamSocket::try_peek(std::span<std::byte> into) noexcept {
  socket_->set_more_to_read(false);
  return try_receive(into, MSG_PEEK);
}

Result<std::size_t> StreamSocket::try_receive(std::span<std::byte> into, int flags) noexcept {
  for (;;) {
    const ssize_t count = receive(socket_->fd(), into.data(), into.size(), flags);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    // No data, but the reactor reported the end of the direction: it could not watch the socket.
    if (errno == EAGAIN && socket_->ended(net::Direction::read)) return system_error(ECONNRESET);
    return transfer_error(errno);
  }
}

Result<std::size_t> StreamSocket::try_write(std::span<const std::byte> from) noexcept {
  return try_transmit(from, socket_->corked() ? MSG_MORE : 0);
}

Result<std::size_t> StreamSocket::try_write_before_file(std::span<const std::byte> from) noexcept {
  return try_transmit(from, MSG_MORE);
}

Result<std::size_t> StreamSocket::try_transmit(std::span<const std::byte> from, int flags) noexcept {
  for (;;) {
    const ssize_t count = transmit(socket_->fd(), from.data(), from.size(), flags);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (errno == EAGAIN && socket_->ended(net::Direction::write)) return system_error(ECONNRESET);  // as in try_read
    return transfer_error(errno);
  }
}

Result<std::size_t> StreamSocket::try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept {
  for (;;) {
    auto position = static_cast<off_t>(offset);
    const ssize_t count = ::sendfile(socket_->fd(), fd, &position, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (errno == EAGAIN && socket_->ended(net::Direction::write)) return system_error(ECONNRESET);  // as in try_read
    return transfer_error(errno);
  }
}

void StreamSocket::shutdown_write() noexcept { ::shutdown(socket_->fd(), SHUT_WR); }

void StreamSocket::abort_on_close() noexcept {
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_->fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  socket_->never_shut_down();
}

bool StreamSocket::peer_closed() const noexcept {
  pollfd socket{.fd = socket_->fd(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&socket, 1, 0) > 0;
}

Result<Address> StreamSocket::peer_address() const noexcept {
  if (const std::optional<Address> peer = socket_->peer()) return *peer;
  return net::peer_address_of(socket_->fd());
}

Result<std::chrono::milliseconds> StreamSocket::time_since_received() const noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (::getsockopt(socket_->fd(), IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return system_error(errno);
  return std::chrono::milliseconds(info.tcpi_last_data_recv);
}

}  // namespace volt
