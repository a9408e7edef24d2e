// SPDX-License-Identifier: MIT

#include "tests/support/sockets.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <utility>

#include "runtime/base/check.h"

namespace volt::test {
namespace {

constexpr int kPatienceSeconds = 20;

void set_blocking(int fd, bool blocking) {
  const int flags = ::fcntl(fd, F_GETFL);
  VOLT_CHECK(::fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) == 0);
}

void set_patience(int fd) {
  const timeval timeout{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() { close(); }

int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

void Descriptor::close() noexcept {
  if (fd_ >= 0) ::close(release());
}

Pair unix_pair() {
  std::array<int, 2> fds{};
  VOLT_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  set_blocking(fds[0], false);
  set_patience(fds[1]);
  return {.near = Descriptor(fds[0]), .far = Descriptor(fds[1])};
}

Pair tcp_pair() {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t bytes = sizeof address;
  VOLT_CHECK(::bind(listener.get(), generic, bytes) == 0 && ::listen(listener.get(), 1) == 0);
  VOLT_CHECK(::getsockname(listener.get(), generic, &bytes) == 0);
  Descriptor far = connect_to(Address::from(generic, bytes));
  Descriptor near(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  VOLT_CHECK(near.get() >= 0);
  return {.near = std::move(near), .far = std::move(far)};
}

Descriptor connect_to(const Address& address) {
  Descriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  VOLT_CHECK(fd.get() >= 0);
  // Without a timeout: closing a ring, as the probe for io_uring does, notifies the thread that used it, and a call
  // with a timeout then ends with EINTR where others are restarted.
  if (::connect(fd.get(), address.data(), address.size_bytes()) != 0) {
    std::perror("connect");
    VOLT_CHECK(!"the test's server is not there");
  }
  set_patience(fd.get());
  return fd;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string receive_exactly(int fd, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t received = 0;
  while (received != bytes) {
    const ssize_t count = ::recv(fd, text.data() + received, bytes - received, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    received += static_cast<std::size_t>(count);
  }
  return text;
}

int receive_some(int fd) {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (count >= 0) return static_cast<int>(count);
    if (errno != EINTR) return -errno;
  }
}

void reset_on_close(int fd) {
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all))) - 1;  // not the one that lists them
}

}  // namespace volt::test
