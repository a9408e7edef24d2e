// SPDX-License-Identifier: MIT

#include "http/testing/internal/socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "http/testing/response.h"

namespace volt::http::testing {
namespace {

TransferResult outcome_of(ssize_t count) noexcept {
  if (count > 0) return TransferResult::some;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return TransferResult::nothing;
  return TransferResult::ended;
}

}  // namespace

Result<std::pair<FileDescriptor, FileDescriptor>> connected_sockets() noexcept {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return system_error(errno);
  return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
}

TransferResult Socket::try_send(std::string_view& bytes) noexcept {
  const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  const TransferResult moved = outcome_of(count);
  if (moved == TransferResult::some) bytes.remove_prefix(static_cast<std::size_t>(count));
  return moved;
}

TransferResult Socket::try_receive(std::string& to) {
  const std::size_t before = to.size();
  to.resize(before + kReceiveBytes);
  const ssize_t count = ::recv(fd_.get(), to.data() + before, kReceiveBytes, MSG_DONTWAIT);
  const TransferResult moved = outcome_of(count);
  to.resize(before + (moved == TransferResult::some ? static_cast<std::size_t>(count) : 0));
  return moved;
}

void Socket::wait(bool sending) const {
  const auto until = std::chrono::steady_clock::now() + wait_timeout_;
  pollfd watched{fd_.get(), static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    if (::poll(&watched, 1, static_cast<int>(left.count())) > 0) return;
  }
  throw TestFailure("nothing was received within " + std::to_string(wait_timeout_.count()) + " ms of real time");
}

void Socket::finish_sending() noexcept { ::shutdown(fd_.get(), SHUT_WR); }

}  // namespace volt::http::testing
