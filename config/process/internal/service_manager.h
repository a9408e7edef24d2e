// ServiceManager: systemd, if it has started us as a service of type notify (sd_notify(3)): told how we are, without its
// library.
//
// Threads: one. Errors: none: a manager that does not listen loses nothing but what it would have been told.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "config/process/internal/descriptor.h"
#include "runtime/address.h"

namespace volt::config {

class ServiceManager {
 public:
  // As the environment says: NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID. These stay, for a replacement.
  ServiceManager();
  ServiceManager(const char* notify_socket, const char* watchdog_usec, const char* watchdog_pid);

  void ready() { send("READY=1"); }
  void stopping() { send("STOPPING=1"); }
  // Then ready() again.
  void reloading();
  // That process is the service from now on, and ready.
  void handed_over(int process);
  void alive() { send("WATCHDOG=1"); }

  // How often it wants to be told that we are alive; none if it does not.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval() const noexcept {
    return watchdog_interval_;
  }

 private:
  void send(std::string_view state) noexcept;

  Descriptor socket_;
  Address manager_;
  std::optional<std::chrono::microseconds> watchdog_interval_;
};

}  // namespace volt::config
