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
#include "config/process/internal/file_watch.h"
#include "config/process/internal/service_manager.h"
#include "config/process/signals.h"
#include "config/process/sockets.h"
#include "config/process/succession.h"
#include "http/ops/ops.h"
#include "http/server/server.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"

namespace volt::config {

// What makes a listener's transports, and the first place that it does so for.
struct PlacedSource {
  std::string place;
  std::shared_ptr<http::TransportSource> source;
};

struct Alive {
  Runtime& runtime;
  http::Server& server;
  http::OpsServer& ops;
  Sockets& sockets;
  Signals& signals;
  std::vector<PlacedSource> transports;  // what SIGHUP, and a change of their files, reloads
  DrainOptions drain;
  char* const* argv;  // how a successor is started
};

class Lifecycle {
 public:
  explicit Lifecycle(const Alive& parts);

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
  void reload_what_changed();

  void start_successor();
  // What a successor is left; an invalid descriptor if that is nothing, or cannot be done.
  [[nodiscard]] Descriptor bequeath();
  // True if it serves, and we may go.
  [[nodiscard]] bool successor_serves();
  void give_up_successor();

  [[nodiscard]] int drain(std::chrono::milliseconds delay);
  // True if every connection ended by itself, or was given all its time.
  [[nodiscard]] bool drain_patiently(std::chrono::milliseconds delay);
  // True if a signal that ends us came within that time.
  [[nodiscard]] bool hurried_within(std::chrono::milliseconds limit);

  Alive parts_;
  Log& log_;
  ServiceManager manager_;
  FileWatch files_;
  std::optional<Clock::time_point> reload_at_;
  std::optional<Successor> successor_;
  Clock::time_point successor_serves_by_;
  std::optional<JoinHandle<void>> heartbeat_;
  Clock::time_point beat_at_;
};

}  // namespace volt::config
