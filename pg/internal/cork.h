// SPDX-License-Identifier: MIT

// Cork: while it exists, the kernel collects the data that is written to a TCP socket. The destructor sends the data. A
// Cork has no effect on sockets of other kinds.
//
// Threads: one at a time. Lifetime: the descriptor must outlive it.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace volt::pg::internal {

class Cork {
 public:
  explicit Cork(int fd) noexcept : fd_(fd) { set(1); }
  ~Cork() { set(0); }
  Cork(const Cork&) = delete;
  Cork& operator=(const Cork&) = delete;

 private:
  void set(int on) noexcept { ::setsockopt(fd_, IPPROTO_TCP, TCP_CORK, &on, sizeof on); }

  int fd_;
};

}  // namespace volt::pg::internal
