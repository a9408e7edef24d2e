// SPDX-License-Identifier: MIT

// ServiceManager: sends state notifications to systemd (sd_notify(3)) without its library, if systemd started this
// process as a service of type notify.
//
// Threads: one at a time. Errors: none. A notification that cannot be sent is dropped.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/address.h"
#include "runtime/file_descriptor.h"

namespace volt::config {

class ServiceManager {
 public:
  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. They stay in the environment for a replacement process.
  ServiceManager();
  ServiceManager(const char* notify_socket, const char* watchdog_usec, const char* watchdog_pid);

  void ready() { send("READY=1"); }
  void stopping() { send("STOPPING=1"); }
  // Announces a reload. ready() must follow when the reload is done.
  void reloading();
  // Announces that `process` is now the main process of the service, and is ready.
  void handed_over(int process);
  void alive() { send("WATCHDOG=1"); }

  // The interval in which alive() must be called, half of systemd's watchdog timeout; nothing if there is no watchdog.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval() const noexcept {
    return watchdog_interval_;
  }

 private:
  void send(std::string_view state) noexcept;

  FileDescriptor socket_;
  Address manager_;
  std::optional<std::chrono::microseconds> watchdog_interval_;
};

}  // namespace volt::config
