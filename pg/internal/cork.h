// Cork: while it lives, what is written to a TCP socket gathers in the kernel, and leaves when it goes. Other sockets do
// not mind it.
//
// Threads: one at a time. Lifetime: within that of the descriptor.
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
