// SPDX-License-Identifier: MIT

// Sockets for tests: connected pairs, and a peer that blocks as a simple client would.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/address.h"

namespace volt::test {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept;
  void close() noexcept;

 private:
  int fd_;
};

struct Pair {
  Descriptor near;  // non-blocking: for a stream
  Descriptor far;   // blocking, with a timeout of some seconds: for the test
};

[[nodiscard]] Pair unix_pair();  // no half of it is ever late
[[nodiscard]] Pair tcp_pair();   // through the loopback device

// Connects, blocking, with a timeout of some seconds on every later operation.
[[nodiscard]] Descriptor connect_to(const Address& address);

// Blocking transfers on `far`: false, or empty, when the connection ended or the time was up.
bool send_all(int fd, std::string_view bytes);
[[nodiscard]] std::string receive_exactly(int fd, std::size_t bytes);
// 0 at the end, -errno for an error, else bytes that were waiting.
[[nodiscard]] int receive_some(int fd);
// Makes the close of `fd` a reset.
void reset_on_close(int fd);

// How many descriptors this process has open.
[[nodiscard]] std::size_t open_descriptors();

}  // namespace volt::test
