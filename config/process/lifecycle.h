// Lifecycle: a server from the moment it listens to its end, steered by signals (config/run.h says which does what).
//
// Threads: the process's first. Lifetime: what it is made of outlives it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/options/config.h"
#include "config/process/hot_restart.h"
#include "config/process/internal/file_watch.h"
#include "config/process/internal/service_manager.h"
#include "config/process/signals.h"
#include "config/process/sockets.h"
#include "http/ops/ops.h"
#include "http/server/server.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"

namespace volt::config {

// What makes a listener's transports, and the first place that it does so for.
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
  std::vector<ListenerTransport> transports;  // what SIGHUP, and a change of their files, reloads
  DrainOptions drain;
  char* const* argv;  // how a replacement is started
};

class Lifecycle {
 public:
  explicit Lifecycle(const ServerParts& parts);

  // Until the server has ended: the program's exit status.
  [[nodiscard]] int run();

 private:
  using Clock = std::chrono::steady_clock;

  // Until something is to be looked at.
  void wait();
  // Tells the service manager that the workers do work.
  void beat();
  void reload();
  // Once files have changed, and then not for a moment: a certificate and its key are written one after the other.
  void reload_changed_files();

  void start_replacement();
  // What a replacement is left; an invalid descriptor if that is nothing, or cannot be done.
  [[nodiscard]] Descriptor seal_handoff_secrets();
  // True if it serves, and we may go.
  [[nodiscard]] bool replacement_ready();
  void abandon_replacement();

  [[nodiscard]] int drain(std::chrono::milliseconds delay);
  // True if every connection ended by itself, or was given all its time.
  [[nodiscard]] bool drain_gracefully(std::chrono::milliseconds delay);
  // True if a signal that ends us came within that time.
  [[nodiscard]] bool second_signal_within(std::chrono::milliseconds limit);

  ServerParts parts_;
  Log& log_;
  ServiceManager manager_;
  FileWatch files_;
  std::optional<Clock::time_point> reload_at_;
  std::optional<ReplacementProcess> replacement_;
  Clock::time_point replacement_ready_by_;
  std::optional<JoinHandle<void>> heartbeat_;
  Clock::time_point beat_at_;
};

}  // namespace volt::config
