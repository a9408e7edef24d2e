// SPDX-License-Identifier: MIT

// Server: serves an App on listening sockets.
//
//   volt::Runtime runtime;
//   http::Server server(runtime, std::move(app));
//   const auto listening = server.listen(*Address::parse("127.0.0.1:8080"));
//   ...
//   server.start_drain();
//   while (!server.drained() && in_time()) server.nudge();
//
// Threads: used by one thread, which is not a worker of the runtime.
// Lifetime: its connections are tasks of the runtime and share ownership of the state that they use, so the server may
// be destroyed before them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "http/server/app.h"
#include "http/server/options.h"
#include "http/transport/listener_options.h"
#include "runtime/address.h"
#include "runtime/result.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"

namespace volt::http {

namespace server {
class ListenerState;
class Overload;
class ReadinessCheck;
class ServerState;
}  // namespace server

class Server {
 public:
  Server(Runtime& runtime, App app, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Runs the steps of App::before_listen(), blocks until the last one has ended, and then starts the background tasks
  // and jobs, which may need what the steps have made. listen() calls it, but a program that opens its sockets itself
  // must call it before. Calls `proceed` every few milliseconds; if that returns false, cancels the step and returns
  // false. Throws std::runtime_error with the place and the reason if a step fails.
  bool prepare(const std::function<bool()>& proceed = {});
  // Runs the steps of App::after_drain() and blocks until the last one has ended. Call it once, when the server has
  // drained. Calls `proceed` as prepare() does. Returns false if a step failed or was cancelled, which is logged.
  bool finish(const std::function<bool()>& proceed = {});

  // Listens at `address` and serves the connections. Opens one socket for each worker, or a single one for a unix
  // socket. Returns the address; if its port was 0, with the port that was chosen. May be called for several addresses.
  // Errors: those of bind(2) and listen(2); address_in_use also if another process listens at the address with
  // SO_REUSEPORT. Throws std::invalid_argument for a malformed ListenerOptions::proxy_protocol_from.
  [[nodiscard]] Result<Address> listen(const Address& address, ListenerOptions options = {});
  // Serves the connections of an existing listener, such as one that was inherited (runtime/inherited.h).
  void listen(TcpListener listener, ListenerOptions options = {});
  // Serves the connections of several listeners, for example all sockets of one port. ListenerOptions::connections_max
  // applies to the sum of their connections.
  void listen(std::vector<TcpListener> listeners, const ListenerOptions& options);
  // Serves one connection that the caller has accepted. Does not call prepare(). May be called by any thread that is
  // not a worker.
  void serve(TcpStream stream);

  // From now on every response closes its connection. New connections are still served, so that a load balancer can
  // deregister this server without lost requests.
  void announce_drain() noexcept;
  // Call before start_drain() if TcpListener::duplicate() was called for listeners of this server, and the duplicates
  // have been closed: then no client that is connecting is reset (TcpListener::ignore_new_clients()).
  void note_duplicates_closed() noexcept;
  // Starts a graceful shutdown: every response closes its connection, idle connections are closed after
  // ServerOptions::drain_idle_timeout, and a listening socket is closed once its queue is empty and handshakes that are
  // in progress have had 25 ms.
  void start_drain();
  // Call periodically while draining: wakes connections that have become idle since the last call.
  void nudge() noexcept;
  // True if nothing is listened to any more and no connection is left.
  [[nodiscard]] bool drained() const noexcept;

  // The checks of App::ready_when() (http/server/readiness_checks.h). Valid as long as the server.
  [[nodiscard]] const std::vector<std::shared_ptr<server::ReadinessCheck>>& readiness() const noexcept;

  // The state of the app's middleware that a hot restart hands over to the replacement process, such as sessions.
  [[nodiscard]] std::vector<std::shared_ptr<HandedOverState>> handed_over_states() const;

  [[nodiscard]] std::size_t connection_count() const noexcept;
  // Counts of the connections that had to wait or were reset, and of the requests that were refused, by reason
  // (http/server/internal/overload.h). Valid as long as the server.
  [[nodiscard]] const server::Overload& overload() const noexcept;

 private:
  friend class OpsServer;  // reads server_state_
  struct Listening {
    std::weak_ptr<TcpListener> listener;  // owned by its acceptor
    std::shared_ptr<server::ListenerState> listener_state;
    JoinHandle<void> acceptor;
  };

  void report_handshakes(const std::shared_ptr<TransportSource>& source);
  void accept_on(std::uint32_t worker, TcpListener listener, std::shared_ptr<server::ListenerState> listener_state);

  Runtime& runtime_;
  std::shared_ptr<AppHooks> hooks_;
  bool prepared_ = false;
  std::shared_ptr<server::ListenerState> plain_listener_state_;  // for serve(): plain HTTP
  std::shared_ptr<server::ServerState> server_state_;
  std::vector<Listening> listening_;
  std::vector<std::shared_ptr<TransportSource>> reported_sources_;  // of listeners, each once
  std::vector<JoinHandle<void>> background_;
};

}  // namespace volt::http
