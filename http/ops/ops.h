// SPDX-License-Identifier: MIT

// OpsServer: the operators' server: health probes, Prometheus metrics and a status page, on an address and a thread of
// its own, so that handlers which block every worker cannot silence the probe that reports it.
//
//   volt::Runtime runtime;
//   http::Server server(runtime, std::move(app));
//   http::OpsServer ops(runtime, server);
//   const auto ops_address = ops.start(*Address::parse("127.0.0.1:9090"));   // requests are counted from here on
//   ...                                                                      // server.listen()
//   ops.set_ready(true);
//
//   /             a page that draws workers, queues and latencies live
//   /healthz      200 while the process runs
//   /readyz       200, or 503 with the reason: starting, draining, or the checks of App::ready_when() that fail
//   /metrics      for Prometheus (text format 0.0.4); request metrics have the names of OpenTelemetry's conventions;
//                 with the app's own metrics (http/metrics/metrics.h)
//   /routes       the route table (JSON)
//   /tasks        what each task waits for, and since when (JSON)
//   /connections  the clients, and the route of each request in progress (JSON)
//   /history      responses, errors, durations, processors and memory of the last hour (JSON)
//   /identity     the service, its version, the host and the process (JSON)
//   /debug/heap   the functions that hold the memory in use, if the process has jemalloc (runtime/heap_profile.h)
//   /debug/profile  the functions in which the workers compute, by route (runtime/profile.h); ?seconds=5 as below
//   /debug/tasks  /tasks, with the coroutines of each task that await each other, and where (JSON)
//   /debug/trace  a timeline of the workers, for Perfetto (runtime/timeline.h); ?seconds=5 sets how long it records
//   /log/levels   the levels of the log (Log::set_levels); PUT changes them until the next reload or restart
//
// Serves GET and HEAD, and that one PUT, without CORS, and only for a Host that is an IP address, localhost or one of
// OpsOptions::allowed_hosts: a web page cannot read it by resolving its own name to this address (DNS rebinding). Shows
// route patterns and ids of requests, never paths, queries or fields. The page also shows the last error lines of the
// log, without their paths: they may contain what an exception says. Every client that can connect can read everything
// and set the levels of the log, so the address must be on loopback or on a network of operators.
//
// Threads: one thread, which is not a worker of the runtime, creates and controls it; set_ready() may be called by any.
// Lifetime: must be destroyed before the runtime that it monitors; the server may be destroyed first.
// Cost: once started, a thread; two clock readings per request, and one per system call that sends responses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/server/server.h"
#include "runtime/address.h"
#include "runtime/result.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"

namespace volt::http {

struct OpsOptions {
  // Host names, without port, by which operators reach the server, for example a service name that Prometheus resolves.
  std::vector<std::string> allowed_hosts;
  std::string service = {};  // the name of the service, for the page; empty: the name of the program's file
  std::string version = {};  // its version, for the page, for example "2.1.0 (3fa9c1e)"; empty: none is shown
};

class OpsServer {
 public:
  OpsServer(Runtime& watched_runtime, Server& watched_server, OpsOptions options = {});
  ~OpsServer();  // calls stop()
  OpsServer(const OpsServer&) = delete;
  OpsServer& operator=(const OpsServer&) = delete;

  // Listens on `address` and starts to serve. The first call must precede listen() of the monitored server. Returns the
  // address with the port that was chosen for port 0. Errors: those of Server::listen(), and of starting a thread with
  // a reactor.
  [[nodiscard]] Result<Address> start(const Address& address);
  // Serves the connections of `listener`. Errors: those of starting a thread with a reactor.
  [[nodiscard]] Result<void> start(TcpListener listener);
  // Sets what /readyz reports. Before the first call it reports `starting`. After Server::announce_drain() it never
  // reports that the server is ready.
  void set_ready(bool ready) noexcept;
  // Closes all listeners and connections of the ops server; it cannot be started again.
  void stop() noexcept;

 private:
  struct Parts;

  [[nodiscard]] Result<void> start_thread();

  std::unique_ptr<Parts> parts_;
};

}  // namespace volt::http
