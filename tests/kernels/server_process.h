// SPDX-License-Identifier: MIT

// ServerProcess: a server as a user runs it, with volt::run and its signals, in a child process that a test can stop,
// continue and end.
//
// Threads: one at a time; create it before the test program has other threads, because it forks. Lifetime: the child is
// killed with the object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/io/reactor.h"

namespace volt::test {

class ServerProcess {
 public:
  // Long enough for an emulated processor to end 10,000 connections, a millisecond each, beside other work.
  static constexpr std::chrono::seconds kDrainGrace{90};

  // Starts the child and waits until it listens. Fails by throwing std::runtime_error with the child's log.
  explicit ServerProcess(unsigned workers, const io::RingOptions& ring = io::default_ring);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] std::string log() const;

  // Stops all its threads, as the freezer of a container does. Returns after they have stopped.
  void stop() const;
  void resume() const;

  // Returns the id of the thread with this name; 0 if there is none.
  [[nodiscard]] pid_t thread(const std::string& name) const;

  // Sends SIGTERM. Returns how long the process took to end with status 0; nothing if it did not end within `limit`, or
  // ended otherwise.
  [[nodiscard]] std::optional<std::chrono::milliseconds> terminate(std::chrono::milliseconds limit);

 private:
  pid_t pid_ = -1;
  int log_fd_ = -1;
  std::uint16_t port_ = 0;
};

// Holds one thread of a child process still while this object exists, as a hypervisor or a CPU quota may do.
class HeldThread {
 public:
  explicit HeldThread(pid_t thread);
  ~HeldThread();
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;

  // False where the system does not permit ptrace(2).
  [[nodiscard]] bool holds() const noexcept { return holds_; }

 private:
  pid_t thread_;
  bool holds_;
};

}  // namespace volt::test
