// Server: an App on listening sockets.
//
//   volt::Runtime runtime;
//   http::Server server(runtime, std::move(app));
//   const auto listening = server.listen(*Address::parse("127.0.0.1:8080"));
//   ...
//   server.start_drain();
//   while (!server.drained() && in_time()) server.nudge();
//
// Threads: one thread, none of the runtime's workers, makes and steers it.
// Lifetime: its connections are tasks of the runtime and share what they need, so the server may go before them.
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
class ServerState;
}  // namespace server

class Server {
 public:
  Server(Runtime& runtime, App app, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens and serves: with one socket a worker, or one for all if the address is a unix socket's. The address, with
  // the port that was chosen for port 0. May be called for several addresses. Errors: address_in_use, also where another
  // process listens there that shares its port; as of bind(2) and listen(2).
  // Throws std::invalid_argument for options that make no sense.
  [[nodiscard]] Result<Address> listen(const Address& address, ListenerOptions options = {});
  // Serves what connects to that one, which may have been made elsewhere (runtime/inherited.h).
  void listen(TcpListener listener, ListenerOptions options = {});
  // The same for several that count as one (ListenerOptions::connections_max): they share a port, say.
  void listen(std::vector<TcpListener> listeners, const ListenerOptions& options);
  // Serves one connection that was made elsewhere. Also by other threads than the server's, but none of its workers.
  void serve(TcpStream stream);

  // From now on every answer closes its connection, and new ones are served as before: balancers that look away from
  // this server lose nothing meanwhile.
  void announce_drain() noexcept;
  // Every answer closes its connection, connections that idle end after a moment (ServerOptions::
  // drain_idle_timeout), and listening sockets close once they have nobody waiting.
  void start_drain();
  // Call now and then while draining: ends the waits of whoever has not noticed yet.
  void nudge() noexcept;
  [[nodiscard]] bool drained() const noexcept;

  [[nodiscard]] std::size_t connection_count() const noexcept;
  // What it has refused, and why (http/server/internal/overload.h). Valid as long as the server.
  [[nodiscard]] const server::Overload& overload() const noexcept;

 private:
  friend class OpsServer;  // looks into the server_state
  struct Listening {
    std::weak_ptr<TcpListener> listener;  // its acceptor owns it
    std::shared_ptr<server::ListenerState> listener_state;
    JoinHandle<void> acceptor;
  };

  Server(Runtime& runtime, AppDefinition::Hooks hooks, App& app, const ServerOptions& options);
  void accept_on(std::uint32_t worker, TcpListener listener, std::shared_ptr<server::ListenerState> listener_state);

  Runtime& runtime_;
  std::shared_ptr<server::ListenerState> plain_listener_state_;  // HTTP as it is
  std::shared_ptr<server::ServerState> server_state_;
  std::vector<Listening> listening_;
  std::vector<std::move_only_function<void(const Address&)>> on_listen_;
  std::vector<JoinHandle<void>> background_;
};

}  // namespace volt::http
