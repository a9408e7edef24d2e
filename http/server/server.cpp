// SPDX-License-Identifier: MIT

#include "http/server/server.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "http/metrics/metrics.h"
#include "http/server/app_hooks.h"
#include "http/server/internal/admission.h"
#include "http/server/internal/connection.h"
#include "http/server/internal/listener_state.h"
#include "http/server/internal/steps.h"
#include "http/server/server_state.h"
#include "http/web/http_log.h"
#include "runtime/base/atomic.h"
#include "runtime/cancel.h"
#include "runtime/deadline.h"
#include "runtime/exception_text.h"
#include "runtime/per_worker.h"
#include "runtime/semaphore.h"
#include "runtime/time.h"
#include "runtime/work_class.h"

namespace volt::http {
namespace {

using server::Admission;
using server::Connection;
using server::ConnectionPermits;
using server::ListenerState;
using server::MemoryBudget;
using server::ServerState;

constexpr auto kMemorySampleInterval = std::chrono::milliseconds(50);
constexpr auto kPauseWithoutMemory = std::chrono::milliseconds(100);

// Time for which a drain still accepts the clients whose handshakes are in progress when it begins. A longer time would
// include clients that are farther away, but delay the end of each server.
constexpr auto kHandshakeTime = std::chrono::milliseconds(25);

// Whether connections are traced (http/server/internal/connection.h).
bool traces_connections() noexcept {
  const char* value = std::getenv("VOLT_TRACE_CONNECTIONS");
  return value != nullptr && std::string_view(value) == "1";
}

void serve_accepted(TcpStream stream, std::shared_ptr<ServerState> server_state,
                    std::shared_ptr<ListenerState> listener_state, ConnectionPermits permits,
                    std::chrono::milliseconds backlog_wait) {
  const std::uint32_t here = this_worker();
  const bool is_spare = here >= server_state->placement.worker_count();
  Admission admission(std::move(server_state), std::move(listener_state), std::move(permits), here, backlog_wait);
  const std::uint32_t home = admission.home();
  try {
    // A spare worker serves here as well: all workers are stuck.
    if (home == here || is_spare) {
      spawn(Connection::serve, std::move(stream), std::move(admission)).detach();
    } else {
      spawn_on(home, Connection::serve, std::move(stream), std::move(admission)).detach();
    }
  } catch (const std::bad_alloc&) {  // decided: this connection is closed; a later one may be served
  }
}

// Exists while an accepted connection waits for a permit. As long as one exists, idle connections are closed soon.
class ConnectionPressure {
 public:
  explicit ConnectionPressure(ServerState& server_state) noexcept : server_state_(server_state) {
    server_state.overload.begin_connection_pressure();
    server_state.overload.note(server::OverloadReason::connections, coarse_now());
  }
  ~ConnectionPressure() { server_state_.overload.end_connection_pressure(); }
  ConnectionPressure(const ConnectionPressure&) = delete;
  ConnectionPressure& operator=(const ConnectionPressure&) = delete;

  // Asks the idle connections to close, unless that was done a short time ago. Must be repeated: connections that have
  // become idle since then do not know of the pressure.
  void close_idle() const noexcept {
    if (server_state_.overload.should_close_idle(coarse_now())) server_state_.interrupt_connections();
  }
  // The time until close_idle() has an effect again.
  [[nodiscard]] std::chrono::milliseconds interval() const noexcept {
    return std::max(server_state_.options.pressure_idle_timeout, kPressureIntervalMin);
  }

 private:
  static constexpr std::chrono::milliseconds kPressureIntervalMin{10};

  ServerState& server_state_;
};

// A turn of the acceptor. A turn ends when it has lasted for a fourth of the time since the previous one began, so that
// the acceptor gets about a fourth of its worker's time while connections wait, whatever the other tasks do.
//
// It also finds out how long connections have waited in the backlog, because that is a part of the time that their
// first requests have waited.
//
// Rejected: a number of accepts in each turn. Next to tasks that take 20 ms, 16 accepts in each turn would be at most
// 800 a second: the backlog would overflow, and the clients in it would wait without being refused.
class AcceptorTurn {
 public:
  void begin() noexcept {
    const Deadline now = Deadline::after(std::chrono::nanoseconds(0));
    end_ = now + std::clamp((now - began_) / kShare, kTimeMin, kTimeMax);
    began_ = now;
    measures_ = true;
  }
  [[nodiscard]] bool over() const noexcept { return end_.passed(); }

  // Returns how long the connection that has just been accepted has waited, or 0 if the wait was short. The wait is
  // measured by a system call, so it is measured only while the worker is saturated, and in each turn only until a
  // connection has not waited for long: the first one has waited longest.
  [[nodiscard]] std::chrono::milliseconds backlog_wait(const TcpStream& stream, const ServerOptions& options) noexcept {
    measures_ = measures_ && this_turn().busy_for > options.queue_busy_min;
    if (!measures_) return std::chrono::milliseconds(0);
    const auto waited = stream.time_since_received();
    measures_ = waited && *waited > options.queue_delay_max / 4;
    return measures_ ? *waited : std::chrono::milliseconds(0);
  }

 private:
  static constexpr int kShare = 4;
  static constexpr std::chrono::nanoseconds kTimeMin = std::chrono::microseconds(100);
  static constexpr std::chrono::nanoseconds kTimeMax = std::chrono::milliseconds(1);

  Deadline began_ = Deadline::after(std::chrono::nanoseconds(0));
  Deadline end_ = began_;
  bool measures_ = false;
};

// Accepts connections until the server drains. The acceptor is the only owner of its listener: when it ends, the
// listening socket is closed, so no connection stays in a queue that is not served any more. It continues when memory
// or descriptors are lacking. Its loop creates no coroutine frames, because there may be no memory for them.
Task<> accept_connections(std::shared_ptr<TcpListener> listener, std::shared_ptr<ServerState> server_state,
                          std::shared_ptr<ListenerState> listener_state) {
  static_cast<void>(begin_work(WorkClass::urgent()));  // no number of requests delays the next connection
  MemoryBudget& memory = server_state->overload.memory;
  AcceptorTurn turn;
  while (!server_state->draining()) {
    while (memory.state() == MemoryBudget::State::exhausted && !server_state->draining()) {
      co_await sleep_for(kMemorySampleInterval);  // new connections wait in the backlog
      memory.look(coarse_now());
    }
    if (turn.over()) {
      co_await yield();
      turn.begin();
    }
    Result<TcpStream> stream = listener->try_accept();
    if (!stream) {
      try {
        stream = co_await listener->accept();
      } catch (const std::bad_alloc&) {  // decided: handled below
        stream = error(std::errc::not_enough_memory);
      }
      turn.begin();
    }
    if (stream) {
      // The accepted connection waits for its permits here, before the next accept. So at most one connection per
      // acceptor waits; the others wait in the backlog.
      ConnectionPermits permits;
      struct {
        Semaphore& limit;
        Semaphore::Permit& permit;
      } const wanted[] = {{listener_state->connections, permits.listener},
                          {server_state->overload.connections, permits.server}};
      for (const auto& [limit, permit] : wanted) {
        if (auto now = limit.try_acquire()) {
          permit = *std::move(now);
          continue;
        }
        if (!server_state->draining()) {
          const ConnectionPressure pressure(*server_state);
          for (bool waits = true; waits;) {
            pressure.close_idle();
            Result<Semaphore::Permit> later = co_await limit.acquire_within(pressure.interval());
            waits = !later && later.error() == std::errc::timed_out;
            if (later) permit = *std::move(later);
          }
        }
        // A drain closes the semaphores. A connection that was accepted before is served without a free permit.
        if (permit.count() == 0) permit = limit.overdraw();
      }
      const auto backlog_wait = turn.backlog_wait(*stream, server_state->options);
      serve_accepted(std::move(*stream), server_state, listener_state, std::move(permits), backlog_wait);
    } else if (stream.error() == std::errc::not_enough_memory) {
      co_await sleep_for(kPauseWithoutMemory);
    } else if (stream.error() != std::errc::interrupted) {
      kHttpLog(LogLevel::error, "accept failed, listener closed",
               {{"address", listener->local_address().to_string()}, {"error", stream.error().message()}});
      co_return;
    }
  }
  // Clients in the queue are connected and may have sent a request: they are served, not reset.
  const auto serve_queued = [&] {
    for (Result<TcpStream> stream = listener->try_accept(); stream; stream = listener->try_accept()) {
      auto permits = ConnectionPermits::overdrawn(*server_state, *listener_state);
      serve_accepted(std::move(*stream), server_state, listener_state, std::move(permits),
                     std::chrono::milliseconds(0));
    }
  };
  const bool handshakes_last = listener->ignore_new_clients();
  serve_queued();
  if (handshakes_last) {
    co_await sleep_for(kHandshakeTime);
    serve_queued();
  }
  listener.reset();  // closed now, not with the frame: further clients are refused and not reset
}

// Runs `function`'s coroutine and owns `function`, because the coroutine uses its captures.
Task<> run_background(std::move_only_function<Task<>()> function) {
  try {
    co_await function();
    co_return;
  } catch (const Cancelled&) {  // decided below
  } catch (...) {               // decided: it is logged, and the server continues without the task
    const ExceptionText text(std::current_exception());
    kHttpLog(LogLevel::error, "background task failed", {{"error", text.message()}, {"type", text.type()}});
    co_return;
  }
  co_await yield();  // throws again if this task was cancelled
  kHttpLog(LogLevel::error, "background task failed", {{"error", "it awaited a task that was cancelled"}});
}

// Starts the background tasks that have not been started. They need what the steps of before_listen() make, such as
// tables, so they start after those.
void start_background(Runtime& runtime, AppHooks& hooks, std::vector<JoinHandle<void>>& tasks) {
  for (AppHooks::Step& step : std::exchange(hooks.background, {})) {
    tasks.push_back(runtime.spawn(run_background, std::move(step.function)));
    tasks.back().task().detached_at.store(step.where, base::relaxed);  // relaxed: for reports
  }
}

}  // namespace

Server::Server(Runtime& runtime, App app, ServerOptions options)
    : runtime_(runtime),
      hooks_(app.hooks()),
      plain_listener_state_(std::make_shared<server::ListenerState>(ListenerOptions{})),
      server_state_(std::make_shared<server::ServerState>(std::move(app), options, runtime.worker_count(),
                                                          runtime.worker_slots(), traces_connections())) {
  server_state_->service.metrics().add([state = server_state_.get()](MetricSink& sink) {  // the state owns the registry
    state->refused.report(sink, state->overload);
  });
  if (hooks_->before_listen.empty()) start_background(runtime_, *hooks_, background_);
}

Server::~Server() {
  for (const JoinHandle<void>& task : background_) task.cancel();
  for (Listening& listening : listening_) listening.acceptor.cancel();
}

bool Server::prepare(const std::function<bool()>& proceed) {
  if (std::exchange(prepared_, true)) return true;
  if (!server::run_before_listen(runtime_, hooks_, proceed)) return false;
  start_background(runtime_, *hooks_, background_);
  return true;
}

bool Server::finish(const std::function<bool()>& proceed) { return server::run_after_drain(runtime_, hooks_, proceed); }

Result<Address> Server::listen(const Address& address, ListenerOptions options) {
  prepare();
  if (address.family() == AF_UNIX) {
    auto listener = TcpListener::bind(address);
    if (!listener) return std::unexpected(listener.error());
    listen(std::move(*listener), std::move(options));
    return address;
  }
  auto listeners = TcpListener::bind_shared(address, runtime_.worker_count());
  if (!listeners) return std::unexpected(listeners.error());
  const Address bound = listeners->front().local_address();
  listen(std::move(*listeners), options);
  return bound;
}

void Server::listen(TcpListener listener, ListenerOptions options) {
  std::vector<TcpListener> listeners;
  listeners.push_back(std::move(listener));
  listen(std::move(listeners), options);
}

// Starts one acceptor for each listener. That is enough for any number of workers, because connections are placed on
// all of them.
void Server::listen(std::vector<TcpListener> listeners, const ListenerOptions& options) {
  prepare();
  const auto listener_state = std::make_shared<ListenerState>(options);
  report_handshakes(options.transport);
  std::vector<Address> announced;
  for (TcpListener& listener : listeners) {
    const Address address = listener.local_address();
    const auto turn = static_cast<std::uint32_t>(listening_.size()) % runtime_.worker_count();
    accept_on(turn, std::move(listener), listener_state);
    if (std::ranges::find(announced, address) != announced.end()) continue;  // they share an address
    announced.push_back(address);
    for (auto& function : hooks_->listening) function(address);
  }
}

// Listeners may share a source, whose handshakes must count once.
void Server::report_handshakes(const std::shared_ptr<TransportSource>& source) {
  if (source == nullptr || std::ranges::find(reported_sources_, source) != reported_sources_.end()) return;
  reported_sources_.push_back(source);
  server_state_->service.metrics().add(source);
}

void Server::serve(TcpStream stream) {
  auto permits = ConnectionPermits::overdrawn(*server_state_, *plain_listener_state_);
  Admission admission(server_state_, plain_listener_state_, std::move(permits), 0);
  const std::uint32_t home = admission.home();
  runtime_.spawn_on(home, Connection::serve, std::move(stream), std::move(admission)).detach();
}

void Server::accept_on(std::uint32_t worker, TcpListener listener,
                       std::shared_ptr<server::ListenerState> listener_state) {
  auto owned = std::make_shared<TcpListener>(std::move(listener));
  const std::weak_ptr<TcpListener> watched = owned;
  server_state_->service.metrics().add([watched](MetricSink& sink) {
    if (const auto open = watched.lock()) server::report_refused(sink, *open);
  });
  listening_.push_back(
      {watched, listener_state,
       runtime_.spawn_on(worker, accept_connections, std::move(owned), server_state_, listener_state)});
}

void Server::announce_drain() noexcept { server_state_->announce_drain(); }

void Server::note_duplicates_closed() noexcept {
  for (const Listening& listening : listening_) {
    if (const auto listener = listening.listener.lock()) listener->note_duplicates_closed();
  }
}

void Server::start_drain() {
  server_state_->start_drain();
  for (const Listening& listening : listening_) listening.listener_state->connections.close();
  server_state_->overload.connections.close();
  nudge();
}

void Server::nudge() noexcept {
  for (const Listening& listening : listening_) {
    if (const auto listener = listening.listener.lock()) listener->interrupt_accept();
  }
  std::erase_if(listening_, [](const Listening& listening) { return listening.acceptor.done(); });
  server_state_->interrupt_connections();
}

std::vector<std::shared_ptr<HandedOverState>> Server::handed_over_states() const {
  return server_state_->service.handed_over_states();
}

const server::ReadinessChecks& Server::readiness() const noexcept { return server_state_->readiness; }

// A connection is placed before its task begins, and until that has ended.
bool Server::drained() const noexcept { return listening_.empty() && server_state_->placement.total() == 0; }
std::size_t Server::connection_count() const noexcept { return server_state_->connection_count(); }
const server::Overload& Server::overload() const noexcept { return server_state_->overload; }

}  // namespace volt::http
