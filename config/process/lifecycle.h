// SPDX-License-Identifier: MIT

// Lifecycle: runs a server from the moment it listens until it has shut down, controlled by signals. config/run.h
// documents the effect of each signal.
//
// Threads: the main thread. Lifetime: the objects to which ServerParts refers must outlive the Lifecycle.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/options/config.h"
#include "config/process/heap.h"
#include "config/process/hot_restart.h"
#include "config/process/internal/file_watch.h"
#include "config/process/internal/service_manager.h"
#include "config/process/pid_file.h"
#include "config/process/signals.h"
#include "config/process/sockets.h"
#include "http/ops/ops.h"
#include "http/server/server.h"
#include "http/transport/handed_over_state.h"
#include "http/transport/transport.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"

namespace volt::config {

// The source of the transports of one or more listeners, and the address of the first of these listeners.
struct ListenerTransport {
  std::string place;
  std::shared_ptr<http::TransportSource> source;
};

struct ServerParts {
  Runtime& runtime;
  http::Server& server;
  http::OpsServer& ops;
  Sockets& sockets;
  Signals& signals;
  const PidFile& pid_file;                    // written again if the replacement process has failed
  std::vector<ListenerTransport> transports;  // reloaded on SIGHUP and when their files change
  std::vector<std::shared_ptr<http::HandedOverState>> states;
  DrainOptions drain;
  // Reads the configuration again, on SIGHUP, and returns the levels of the log. Error: what is wrong with it.
  std::function<std::expected<std::string, std::string>()> log_levels;
  std::string program;  // path and command line of a replacement process
  char* const* argv;
};

class Lifecycle {
 public:
  explicit Lifecycle(const ServerParts& parts);

  // Blocks until the server has shut down. Returns the exit status of the program.
  [[nodiscard]] int run();
  // Returns the time by which the process should have ended; valid after run().
  [[nodiscard]] std::chrono::steady_clock::time_point ends_by() const noexcept { return ends_by_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Blocks until a signal, a file change, news of the replacement process or a deadline must be handled.
  void wait();
  // Sends the watchdog notification to the service manager if the workers make progress.
  void beat();
  void reload();
  // Opens the file of the log again, and sets the levels of the configuration.
  void reload_log();
  // Reloads when files have changed and kReloadDebounce has passed without a further change, since a certificate and
  // its key are written one after the other.
  void reload_changed_files();

  void start_replacement();
  // Returns a sealed file with the secrets for the replacement process; an invalid descriptor if there are none, or if
  // the file cannot be made.
  [[nodiscard]] FileDescriptor seal_handoff_secrets();
  // Begins the handover of the app's state.
  [[nodiscard]] std::vector<State> hand_over_states();
  // Returns true if the replacement process serves, so that this process may shut down.
  [[nodiscard]] bool replacement_ready();
  void abandon_replacement();

  [[nodiscard]] int drain(std::chrono::milliseconds delay);
  // Returns true if all connections ended or drain.grace passed; false if a second signal cut the drain short.
  [[nodiscard]] bool drain_gracefully(std::chrono::milliseconds delay);
  // Logs how long the drain took, and what it cut.
  void report_drain(Clock::time_point began);
  // Waits for up to `limit`. Returns true if a signal that ends the server has arrived within this time.
  [[nodiscard]] bool second_signal_within(std::chrono::milliseconds limit);

  ServerParts parts_;
  Log& log_;
  ServiceManager manager_;
  FileWatch files_;
  HeapTrim heap_trim_;
  std::optional<Clock::time_point> reload_at_;
  std::optional<ReplacementProcess> replacement_;
  Clock::time_point replacement_ready_by_;
  std::optional<JoinHandle<void>> heartbeat_;
  Clock::time_point beat_at_;
  Clock::time_point ends_by_;
};

}  // namespace volt::config
