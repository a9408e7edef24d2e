#include "http/server.h"

#include <new>

#include "http/serve/connection.h"
#include "http/serve/entrance.h"
#include "http/serve/site.h"
#include "runtime/log.h"

namespace volt::http {
namespace {

void serve_accepted(TcpStream stream, const std::shared_ptr<serve::Site>& site,
                    const std::shared_ptr<const serve::Entrance>& entrance) {
  const std::uint32_t here = this_worker();
  const std::uint32_t home = site->placement.enter(here);
  try {
    if (home == here) {
      spawn(serve::serve_connection, std::move(stream), site, entrance, home).detach();
    } else {
      spawn_on(home, serve::serve_connection, std::move(stream), site, entrance, home).detach();
    }
  } catch (const std::bad_alloc&) {  // decided: this client is turned away, those to come may have more luck
    site->placement.leave(home);
  }
}

// The only owner of its listener: no connection comes to a queue that nobody looks at any more.
Task<> accept_connections(std::shared_ptr<TcpListener> listener, std::shared_ptr<serve::Site> site,
                          std::shared_ptr<const serve::Entrance> entrance) {
  while (!site->draining()) {
    Result<TcpStream> stream = co_await listener->accept();
    if (stream) {
      serve_accepted(std::move(*stream), site, entrance);
    } else if (stream.error() != std::errc::interrupted) {
      log(LogLevel::error, "no longer accepting connections",
          {{"address", listener->local_address().to_string()}, {"error", stream.error().message()}});
      co_return;
    }
  }
  // Who is in the queue has connected and may have sent a request: it is answered, not reset.
  for (Result<TcpStream> stream = listener->try_accept(); stream; stream = listener->try_accept()) {
    serve_accepted(std::move(*stream), site, entrance);
  }
  listener.reset();  // now, not when the frame goes: whoever connects from here on is refused, not reset
}

}  // namespace

Server::Server(Runtime& runtime, App app, ServerOptions options)
    : runtime_(runtime),
      bare_(std::make_shared<const serve::Entrance>(ListenerOptions{})),
      site_(std::make_shared<serve::Site>(std::move(app), options, runtime.worker_count())) {}

Server::~Server() {
  for (Listening& listening : listening_) listening.acceptor.cancel();
}

Result<Address> Server::listen(const Address& address, ListenerOptions options) {
  if (address.family() == AF_UNIX) {
    auto listener = TcpListener::bind(address);
    if (!listener) return std::unexpected(listener.error());
    listen(std::move(*listener), std::move(options));
    return address;
  }
  const auto entrance = std::make_shared<const serve::Entrance>(std::move(options));
  Address bound;
  {
    // Sockets that share a port with reuse_port would share it with another process's as well, unnoticed.
    const auto alone = TcpListener::bind(address);
    if (!alone) return std::unexpected(alone.error());
    bound = alone->local_address();
  }
  std::vector<TcpListener> listeners;
  for (std::uint32_t i = 0; i != runtime_.worker_count(); ++i) {
    auto listener = TcpListener::bind(bound, {.reuse_port = true});
    if (!listener) return std::unexpected(listener.error());
    listeners.push_back(std::move(*listener));
  }
  for (std::uint32_t i = 0; i != runtime_.worker_count(); ++i) {
    accept_on(i, std::move(listeners[i]), entrance);
  }
  return bound;
}

// One acceptor is enough: the connections are placed on all workers.
void Server::listen(TcpListener listener, ListenerOptions options) {
  const auto turn = static_cast<std::uint32_t>(listening_.size()) % runtime_.worker_count();
  accept_on(turn, std::move(listener), std::make_shared<const serve::Entrance>(std::move(options)));
}

void Server::serve(TcpStream stream) {
  const std::uint32_t home = site_->placement.enter(0);
  try {
    runtime_.spawn_on(home, serve::serve_connection, std::move(stream), site_, bare_, home).detach();
  } catch (const std::bad_alloc&) {
    site_->placement.leave(home);
    throw;
  }
}

void Server::accept_on(std::uint32_t worker, TcpListener listener, std::shared_ptr<const serve::Entrance> entrance) {
  auto owned = std::make_shared<TcpListener>(std::move(listener));
  const std::weak_ptr<TcpListener> watched = owned;
  listening_.push_back(
      {watched, runtime_.spawn_on(worker, accept_connections, std::move(owned), site_, std::move(entrance))});
}

void Server::announce_drain() noexcept { site_->announce_drain(); }

void Server::start_drain() {
  site_->start_drain();
  nudge();
}

void Server::nudge() noexcept {
  for (const Listening& listening : listening_) {
    if (const auto listener = listening.listener.lock()) listener->interrupt_accept();
  }
  std::erase_if(listening_, [](const Listening& listening) { return listening.acceptor.done(); });
  site_->interrupt_connections();
}

bool Server::drained() const noexcept { return listening_.empty() && site_->connection_count() == 0; }
std::size_t Server::connection_count() const noexcept { return site_->connection_count(); }

}  // namespace volt::http
