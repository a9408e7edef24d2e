#include "config/process/signals.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <system_error>

namespace volt::config {

Signals::Signals() {
  sigset_t ours;
  ::sigemptyset(&ours);
  for (const int number : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR2}) ::sigaddset(&ours, number);
  ::pthread_sigmask(SIG_BLOCK, &ours, &before_);
  fd_ = Descriptor(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw std::system_error(errno, std::system_category(), "signalfd");
}

Signals::~Signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<int> Signals::take() noexcept {
  signalfd_siginfo info;
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace volt::config
