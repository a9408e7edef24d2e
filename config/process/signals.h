// Signals: those that steer a server, as a descriptor to wait for. They are blocked in the thread that makes it, and in
// the threads that this one starts from then on.
//
// Threads: one, the first of the process. Lifetime: when it goes, they do again what they did before.
#pragma once

#include <signal.h>

#include <optional>

#include "config/process/descriptor.h"

namespace volt::config {

class Signals {
 public:
  // Throws std::system_error.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Readable when there is one.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  // The next that waits; none if none does.
  [[nodiscard]] std::optional<int> take() noexcept;
  // For a program that is started from here.
  [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }

  // It asks the server to end.
  [[nodiscard]] static bool ends(int number) noexcept {
    return number == SIGTERM || number == SIGINT || number == SIGQUIT;
  }

 private:
  sigset_t before_;
  Descriptor fd_;
};

}  // namespace volt::config
