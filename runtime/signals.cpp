// SPDX-License-Identifier: MIT

#include "runtime/signals.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "runtime/net/socket.h"

namespace volt {

Signals::Signals(std::initializer_list<int> numbers) {
  sigset_t ours;
  ::sigemptyset(&ours);
  for (const int number : numbers) ::sigaddset(&ours, number);
  fd_ = FileDescriptor(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw std::system_error(errno, std::system_category(), "signalfd");
  ::pthread_sigmask(SIG_BLOCK, &ours, &before_);
}

Signals::~Signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<int> Signals::try_next() noexcept {
  signalfd_siginfo info;
  if (::read(fd(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

// Each wait uses a duplicate of the descriptor: a reactor keeps a descriptor until its runtime ends, but fd_ outlives
// the runtime.
Task<int> Signals::next() {
  std::optional<int> number = try_next();
  if (number) co_return *number;
  const int copy = ::fcntl(fd(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw std::system_error(errno, std::system_category(), "cannot wait for signals");
  const net::SocketOwner waiting = net::own_socket(copy);
  waiting->never_shut_down();
  while (!number) {
    [[maybe_unused]] const Result<void> ready = co_await waiting->ready(net::Direction::read);
    number = try_next();
    if (!number && waiting->ended(net::Direction::read)) {  // the reactor could not watch the descriptor
      throw std::system_error(std::make_error_code(std::errc::no_buffer_space), "cannot wait for signals");
    }
  }
  co_return *number;
}

}  // namespace volt
