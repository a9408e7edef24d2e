// OpsServer: what operators, probes and Prometheus ask of a running server, on an address and a thread of its own, so
// that handlers which hold up every worker cannot silence the probe that reports it.
//
//   volt::Runtime runtime;
//   http::Server server(runtime, std::move(app));
//   http::OpsServer ops(runtime, server);
//   const auto asked_at = ops.start(*Address::parse("127.0.0.1:9090"));   // requests are counted from now on
//   ...                                                                   // server.listen()
//   ops.set_ready(true);
//
//   /             a page that draws workers, queues and latencies as they are
//   /healthz      200 while the process runs
//   /readyz       200, or 503 with the reason: starting, draining
//   /metrics      for Prometheus (text format 0.0.4), requests by the names of OpenTelemetry's conventions
//   /routes       the table of routes, /tasks what each task waits for and since when, /connections who is connected and
//                 which route is under way: JSON
//
// It answers GET and HEAD, without CORS, and only to a Host that is an IP address, localhost or one of OpsOptions::allowed_hosts:
// so no web page can read it by making its own name point here (DNS rebinding). Of requests it tells route patterns,
// never paths, queries or fields. Whoever can connect can read: it is meant for loopback or a network of operators.
//
// Threads: one thread, none of the runtime's workers, makes and steers it; set_ready() may be called by any.
// Lifetime: goes before the runtime that it watches; the server may go first.
// Cost: once it has started, a thread, and two looks at the clock a request.
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
  std::vector<std::string>
      allowed_hosts;  // names that it is asked by, without port: of a service that Prometheus looks up
};

class OpsServer {
 public:
  OpsServer(Runtime& watched_runtime, Server& watched_server, OpsOptions options = {});
  ~OpsServer();  // stops
  OpsServer(const OpsServer&) = delete;
  OpsServer& operator=(const OpsServer&) = delete;

  // Listens, and answers from now on; the first time before the server listens. The address, with the port that was
  // chosen for port 0. Errors: as of Server::listen(), and those of starting a thread with a reactor.
  [[nodiscard]] Result<Address> start(const Address& address);
  // Answers who connects to that one.
  [[nodiscard]] Result<void> start(TcpListener listener);
  // Not ready until told so, and no more when told so; nor from Server::announce_drain() on, whatever is said here.
  void set_ready(bool ready) noexcept;
  // Closes its listeners and its connections, for good.
  void stop() noexcept;

 private:
  struct Parts;

  [[nodiscard]] Result<void> start_thread();

  std::unique_ptr<Parts> parts_;
};

}  // namespace volt::http
