// SPDX-License-Identifier: MIT

// The simulated kernel's stream sockets, as the server and the clients use them.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tests/simulation/kernel.h"

namespace volt::simulation {

using namespace std::chrono_literals;

// ---- the server's end ----

long SimulatedKernel::receive(int fd, void* into, std::size_t size, int flags) {
  Connection** found = find<Connection*>(fd, "recv");
  if (found == nullptr) return -EBADF;
  Connection& connection = **found;
  const auto result = [&](long count, std::string_view data = {}) {
    return traced("recv", fd, static_cast<std::int64_t>(size), count, data);
  };
  if (fault_injector_.interrupts()) return result(-EINTR);
  if (const int fault = fault_injector_.transfer_fault(); fault != 0) {
    connection.faulted = true;
    return result(-fault);
  }
  if (!connection.received.empty()) {
    // Not after the end of stream, which stays readable.
    if (!connection.peer_ended && !connection.reset && fault_injector_.finds_nothing()) {
      edge(fd);
      return result(-EAGAIN);
    }
    std::size_t count = std::min(size, connection.received.size());
    // A short read signals that the socket is drained: the remaining bytes need an edge of their own.
    if (count > 1 && fault_injector_.shortens()) {
      count = 1 + chance_.below(count);
      edge(fd);
    }
    std::memcpy(into, connection.received.data(), count);
    const long traced_count = result(static_cast<long>(count), std::string_view(connection.received).substr(0, count));
    if ((flags & MSG_PEEK) == 0) {
      connection.received.erase(0, count);
      if (std::exchange(connection.told_of_room, false)) {
        in(Nanoseconds(chance_.between(10'000, 400'000)), [&connection] {
          if (connection.peer != nullptr) connection.peer->room_arrived();
        });
      }
    }
    return traced_count;
  }
  if (const int error = std::exchange(connection.error, 0); error != 0) return result(-error);
  if (connection.peer_ended || connection.reset) return result(0);
  return result(-EAGAIN);
}

long SimulatedKernel::transmit(int fd, const void* from, std::size_t size, const char* call) {
  Connection** found = find<Connection*>(fd, call);
  if (found == nullptr) return -EBADF;
  Connection& connection = **found;
  const auto result = [&](long count, std::string_view data = {}) {
    return traced(call, fd, static_cast<std::int64_t>(size), count, data);
  };
  if (fault_injector_.interrupts()) return result(-EINTR);
  if (const int fault = fault_injector_.transfer_fault(); fault != 0) {
    connection.faulted = true;
    return result(-fault);
  }
  if (const int error = std::exchange(connection.error, 0); error != 0) return result(-error);
  if (connection.reset || connection.shut_for_writing) return result(-EPIPE);
  if (size == 0) return result(0);
  const std::size_t room = room_down(connection);
  const bool pretends = fault_injector_.finds_nothing();
  if (room == 0 || pretends) {
    connection.wants_room = true;
    if (room != 0) edge(fd);
    return result(-EAGAIN);
  }
  std::size_t count = std::min(size, room);
  if (count > 1 && fault_injector_.shortens()) {
    count = 1 + chance_.below(count);
    edge(fd);
  }
  connection.wants_room = connection.wants_room || count < size;
  std::string bytes(static_cast<const char*>(from), count);
  result(static_cast<long>(count), bytes);
  connection.on_the_way_down += count;
  in(arrival(connection.last_down), [this, &connection, bytes = std::move(bytes)] { arrive_down(connection, bytes); });
  return static_cast<long>(count);
}

int SimulatedKernel::shut_down(int fd, int how) {
  if (is_listener(fd)) {
    pass_time();
    std::get<Listener>(descriptors_.at(fd)).shut_down = true;
    return static_cast<int>(traced("shutdown", fd, how, 0));
  }
  Connection** found = find<Connection*>(fd, "shutdown");
  if (found == nullptr) return -EBADF;
  Connection& connection = **found;
  if (connection.reset) return static_cast<int>(traced("shutdown", fd, how, -ENOTCONN));
  if (how != SHUT_RD && !connection.shut_for_writing) {
    connection.shut_for_writing = true;
    in(arrival(connection.last_down), [&connection] {
      if (connection.peer != nullptr && !connection.reset) connection.peer->end_arrived();
    });
    edge(fd);
  }
  return static_cast<int>(traced("shutdown", fd, how, 0));
}

int SimulatedKernel::set_linger(int fd, bool reset) {
  Connection** found = find<Connection*>(fd, "setsockopt");
  if (found == nullptr) return -EBADF;
  (*found)->abort_on_close = reset;
  return static_cast<int>(traced("setsockopt", fd, 0, 0));
}

// ---- the network ----

// Returns the delay until a segment that is sent now arrives, after all earlier segments.
Nanoseconds SimulatedKernel::arrival(Nanoseconds& last) {
  const Nanoseconds latency(fault_injector_.delays() ? chance_.between(20'000, 30'000'000)
                                                     : chance_.between(20'000, 200'000));
  last = std::max(last, now() + latency);
  return last - now();
}

void SimulatedKernel::arrive_up(Connection& connection, std::string bytes) {
  connection.on_the_way_up -= bytes.size();
  if (connection.reset) return;
  if (connection.closed) return send_reset_to_client(connection);
  connection.received += bytes;
  edge(connection.fd);
}

void SimulatedKernel::arrive_down(Connection& connection, std::string bytes) {
  connection.on_the_way_down -= bytes.size();
  if (connection.reset) return;
  if (connection.peer == nullptr) return arrive_reset(connection);  // the client has closed its end
  connection.delivered += bytes;
  connection.peer->data_arrived();
}

// Delivers a reset to the server.
void SimulatedKernel::arrive_reset(Connection& connection) {
  if (connection.reset) return;
  connection.reset = true;
  connection.error = ECONNRESET;
  edge(connection.fd);
}

// Resets the connection; data in flight to the client is lost.
void SimulatedKernel::send_reset_to_client(Connection& connection) {
  connection.reset = true;
  in(Nanoseconds(chance_.between(20'000, 200'000)), [&connection] {
    if (connection.peer != nullptr) connection.peer->reset_arrived();
  });
}

// ---- the clients' end ----

Connection* SimulatedKernel::connect(Peer& peer) {
  constexpr std::size_t kBacklog = 64;
  std::vector<std::pair<int, Listener*>> listeners;
  for (auto& [fd, descriptor] : descriptors_) {
    auto* listener = std::get_if<Listener>(&descriptor);
    if (listener != nullptr && !listener->shut_down && listener->waiting.size() != kBacklog)
      listeners.emplace_back(fd, listener);
  }
  if (listeners.empty()) return nullptr;
  const auto [fd, listener] = chance_.one_of(listeners);  // as with SO_REUSEPORT
  Connection* connection = connections_.emplace_back(std::make_unique<Connection>()).get();
  connection->peer = &peer;
  listener->waiting.push_back(connection);
  edge(fd);
  return connection;
}

std::size_t SimulatedKernel::send(Connection& connection, std::string_view bytes) {
  const std::size_t used = connection.received.size() + connection.on_the_way_up;
  const std::size_t count = std::min(bytes.size(), kUpBytes - std::min(kUpBytes, used));
  if (count < bytes.size()) connection.told_of_room = true;
  if (count == 0) return 0;
  connection.on_the_way_up += count;
  in(arrival(connection.last_up),
     [this, &connection, taken = std::string(bytes.substr(0, count))] { arrive_up(connection, taken); });
  return count;
}

void SimulatedKernel::finish(Connection& connection) {
  in(arrival(connection.last_up), [this, &connection] {
    if (connection.reset || connection.closed) return;
    connection.peer_ended = true;
    edge(connection.fd);
  });
}

void SimulatedKernel::reset(Connection& connection) {
  connection.peer = nullptr;
  in(Nanoseconds(chance_.between(20'000, 200'000)), [this, &connection] { arrive_reset(connection); });
}

std::string SimulatedKernel::take(Connection& connection, std::size_t size_max) {
  std::string taken = connection.delivered.substr(0, size_max);
  connection.delivered.erase(0, taken.size());
  if (connection.wants_room && room_down(connection) >= kDownBytes / 3) {
    connection.wants_room = false;
    edge(connection.fd);
  }
  return taken;
}

void SimulatedKernel::close(Connection& connection) {
  if (!connection.delivered.empty()) return reset(connection);
  connection.peer = nullptr;
  finish(connection);
}

}  // namespace volt::simulation
