// SPDX-License-Identifier: MIT

#include "runtime/datagram_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "runtime/net/socket_calls.h"

namespace volt {
namespace {

// Returns the address of the sender. A unix socket without a name has an address of zero bytes.
Address sender(sockaddr_storage& storage, socklen_t bytes) noexcept {
  if (bytes == 0) {
    storage.ss_family = AF_UNIX;
    bytes = sizeof storage.ss_family;
  }
  return Address::from(reinterpret_cast<const sockaddr*>(&storage), bytes);
}

}  // namespace

Result<Datagram> DatagramSocket::try_receive(std::span<std::byte> into) noexcept {
  for (;;) {
    sockaddr_storage storage{};
    socklen_t bytes = sizeof storage;
    auto* from = reinterpret_cast<sockaddr*>(&storage);
    const ssize_t count = ::recvfrom(fd(), into.data(), into.size(), MSG_TRUNC, from, &bytes);
    if (count < 0 && errno == EINTR) continue;
    // The kernel reports readiness once for several waiting datagrams and errors. So more may follow any result except
    // EAGAIN.
    socket_->set_more_to_read(count >= 0 || errno != EAGAIN);
    if (count < 0 && errno == EAGAIN && socket_->ended(net::Direction::read))
      return system_error(ENOBUFS);  // the reactor could not watch the socket
    if (count < 0) return net::transfer_error(errno);
    const auto size_bytes = static_cast<std::size_t>(count);
    return Datagram{std::min(size_bytes, into.size()), size_bytes > into.size(), sender(storage, bytes)};
  }
}

Result<void> DatagramSocket::try_send_to(std::span<const std::byte> datagram, const Address& to) noexcept {
  return transmit(datagram, &to);
}

Result<void> DatagramSocket::try_send(std::span<const std::byte> datagram) noexcept {
  return transmit(datagram, nullptr);
}

Result<void> DatagramSocket::transmit(std::span<const std::byte> datagram, const Address* to) noexcept {
  for (;;) {
    const sockaddr* address = to != nullptr ? to->data() : nullptr;
    const socklen_t bytes = to != nullptr ? to->size_bytes() : 0;
    if (::sendto(fd(), datagram.data(), datagram.size(), MSG_NOSIGNAL, address, bytes) >= 0) return {};
    if (errno == EINTR) continue;
    if (errno == EAGAIN && socket_->ended(net::Direction::write))
      return system_error(ENOBUFS);  // the reactor could not watch the socket
    return net::transfer_error(errno);
  }
}

Task<Result<Datagram>> DatagramSocket::receive(std::span<std::byte> into) {
  for (;;) {
    const Result<void> ready = co_await readable();
    if (!ready) co_return std::unexpected(ready.error());
    Result<Datagram> received = try_receive(into);
    if (received || !would_block(received)) co_return received;
  }
}

Task<Result<void>> DatagramSocket::send_to(std::span<const std::byte> datagram, Address to) {
  for (;;) {
    const Result<void> sent = try_send_to(datagram, to);
    if (sent || !would_block(sent) || to.family() == AF_UNIX) co_return sent;
    const Result<void> ready = co_await writable();
    if (!ready) co_return ready;
  }
}

Task<Result<void>> DatagramSocket::send(std::span<const std::byte> datagram) {
  for (;;) {
    const Result<void> sent = try_send(datagram);
    if (sent || !would_block(sent)) co_return sent;
    const Result<void> ready = co_await writable();
    if (!ready) co_return ready;
  }
}

Result<void> DatagramSocket::connect(const Address& peer) noexcept {
  if (::connect(fd(), peer.data(), peer.size_bytes()) != 0) return system_error(errno);
  return {};
}

Result<Address> DatagramSocket::local_address() const noexcept { return net::local_address_of(fd()); }

}  // namespace volt
