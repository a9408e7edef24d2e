// SPDX-License-Identifier: MIT

#include "http/server/internal/connection.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "http/server/internal/request_watch.h"
#include "http/web/http_log.h"
#include "runtime/base/uninitialized.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/per_worker.h"
#include "runtime/stream.h"

namespace volt::http::server {
namespace {

// A connection that has waited for longer probably has its first request.
constexpr std::chrono::microseconds kRequestComesWithin(100);

// Maximum time that a connection lingers while the server drains or other connections wait for a place.
constexpr std::chrono::milliseconds kLingerMaxInHaste = std::chrono::seconds(2);

}  // namespace

struct Connection::StateRow {
  enum class Wait : std::uint8_t {
    nothing,
    turn,  // until other tasks have run
    readable,
    writable,
    task,                  // a coroutine, which returns the next state
    task_until_hangup,     // as `task`, but a client that hangs up cancels the coroutine
    handler_until_hangup,  // the handler, which returns the response; a client that hangs up cancels it
    end,
  };
  enum class Deadline : std::uint8_t {
    none,  // The state leaves the deadlines alone: it waits for nothing, or its task sets its own.
    unlimited,
    idle,
    idle_closing,
    head,
    receive,
    send,
    linger,
  };

  // Pointers to plain functions, each of which calls a member function. A call through a pointer to a member would cost
  // more.
  using Step = ConnectionState (*)(Connection& connection);
  using ReadyStep = ConnectionState (*)(Connection& connection, const Result<void>& ready);
  using TaskStep = Task<ConnectionState> (*)(Connection& connection);

  consteval StateRow(ConnectionState of, std::string_view called, Wait waits_for, Deadline starts)
      : state(of), name(called), wait(waits_for), deadline(starts) {}
  consteval StateRow(ConnectionState of, std::string_view called, Wait waits_for, Deadline starts, Step runs)
      : state(of), name(called), wait(waits_for), deadline(starts), step(runs) {}
  consteval StateRow(ConnectionState of, std::string_view called, Wait waits_for, Deadline starts, ReadyStep runs)
      : state(of), name(called), wait(waits_for), deadline(starts), on_ready(runs) {}
  consteval StateRow(ConnectionState of, std::string_view called, Wait waits_for, Deadline starts, TaskStep runs)
      : state(of), name(called), wait(waits_for), deadline(starts), task(runs) {}

  ConnectionState state;
  std::string_view name;  // printed by the trace
  Wait wait;
  Deadline deadline;
  Step step = nullptr;           // Wait::nothing, Wait::turn
  ReadyStep on_ready = nullptr;  // Wait::readable, Wait::writable
  TaskStep task = nullptr;       // Wait::task, Wait::task_until_hangup
};

// Watches for a hangup while the request is served.
class Connection::Watch {
 public:
  explicit Watch(Connection& connection)
      : connection_(connection),
        watch_(connection.channel_, connection.context_, connection.server_state_.options,
               connection.half_close_counts_at_once()) {
    connection_.watch_ = &watch_;
    connection_.body_.set_watch(&watch_);
  }
  ~Watch() {
    connection_.body_.set_watch(nullptr);
    connection_.watch_ = nullptr;
    connection_.half_close_counted_ = watch_.counts_half_close();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Connection& connection_;
  RequestWatch watch_;
};

struct Connection::StateTable {
  using C = Connection;
  using Deadline = StateRow::Deadline;
  using enum ConnectionState;
  using enum StateRow::Wait;

  template <auto kMember>
  static ConnectionState step(Connection& connection) {
    return (connection.*kMember)();
  }
  template <auto kMember>
  static ConnectionState on_ready(Connection& connection, const Result<void>& ready) {
    return (connection.*kMember)(ready);
  }
  template <auto kMember>
  static Task<ConnectionState> await(Connection& connection) {
    return (connection.*kMember)();
  }

  static constexpr StateRow kRows[] = {
      {accepted, "accepted", nothing, Deadline::none, step<&C::start>},
      {read_preamble, "read_preamble", task, Deadline::head, await<&C::read_preamble>},
      {admit, "admit", nothing, Deadline::none, step<&C::admit>},
      {handshake, "handshake", task, Deadline::none, await<&C::open_transport>},
      {idle, "idle", readable, Deadline::idle, on_ready<&C::read_head>},
      {idle_closing, "idle_closing", readable, Deadline::idle_closing, on_ready<&C::read_head>},
      {read_head, "read_head", readable, Deadline::head, on_ready<&C::read_head>},
      {begin_request, "begin_request", nothing, Deadline::none, step<&C::begin_request>},
      {await_turn, "await_turn", turn, Deadline::none, step<&C::take_turn>},
      {read_body, "read_body", readable, Deadline::receive, on_ready<&C::read_body>},
      {await_memory, "await_memory", task, Deadline::none, await<&C::await_memory>},
      {await_handler, "await_handler", handler_until_hangup, Deadline::none},
      {send_body, "send_body", task_until_hangup, Deadline::none, await<&C::send_body>},
      {switch_protocol, "switch_protocol", task, Deadline::unlimited, await<&C::run_upgrade>},
      {finish, "finish", nothing, Deadline::none, step<&C::finish>},
      {drop_body, "drop_body", readable, Deadline::receive, on_ready<&C::read_to_drop>},
      {next_request, "next_request", nothing, Deadline::none, step<&C::next_request>},
      {send_rest, "send_rest", writable, Deadline::send, on_ready<&C::send_rest>},
      {shutdown_linger, "shutdown_linger", nothing, Deadline::none, step<&C::shutdown_linger>},
      {shutdown_close, "shutdown_close", nothing, Deadline::none, step<&C::shutdown_close>},
      {linger, "linger", readable, Deadline::linger, on_ready<&C::linger_on>},
      {close, "close", end, Deadline::none},
  };

  // Returns whether the rows are in the order of the states, and each row has exactly the kind of step that its wait
  // requires.
  [[nodiscard]] static consteval bool valid() {
    if (std::size(kRows) != static_cast<std::size_t>(close) + 1) return false;
    for (std::size_t i = 0; i != std::size(kRows); ++i) {
      const StateRow& row = kRows[i];
      if (row.state != static_cast<ConnectionState>(i)) return false;
      if ((row.step != nullptr) != (row.wait == nothing || row.wait == turn)) return false;
      if ((row.on_ready != nullptr) != (row.wait == readable || row.wait == writable)) return false;
      if ((row.task != nullptr) != (row.wait == task || row.wait == task_until_hangup)) return false;
    }
    return true;
  }

  [[nodiscard]] static const StateRow& row(ConnectionState state) noexcept {
    return kRows[static_cast<std::size_t>(state)];
  }
};

Connection::Connection(TcpStream accepted, Admission& admission)
    : admission_(admission),
      server_state_(admission.server_state()),
      channel_(std::move(accepted), admission.listener_state()),
      entry_(channel_, server_state_.traffic()),
      registration_(server_state_, entry_),
      context_(server_state_),
      body_(channel_, context_, server_state_, entry_.times()),
      transfer_timeout_(server_state_.options) {
  static_assert(StateTable::valid());
  set_log_context(this);
}

// If the task was cancelled, no step has entered `close`, so the trace is completed here. The cause is the client,
// which has disconnected, or the end of the server: a system call tells, so it is made only for an observer.
Connection::~Connection() {
  entry_.end_request();  // before registration_ removes the entry, and keeps its last long request
  using enum ExchangeOutcome;
  if (context_ && exchange_is_observed()) end_exchange(channel_.peer_closed() ? disconnected : cancelled);
  if (server_state_.trace_connections && state_ != ConnectionState::close) trace(ConnectionState::close);
  set_log_context(nullptr);
}

Task<> Connection::serve(TcpStream accepted, Admission admission) {
  using Wait = StateRow::Wait;
  Connection connection(std::move(accepted), admission);
  ConnectionState next = connection.start();  // this is the step of ConnectionState::accepted
  for (;;) {
    connection.advance(next);
    const StateRow& row = StateTable::row(connection.state_);
    switch (row.wait) {
      case Wait::turn:
        co_await yield();
        next = row.step(connection);
        break;
      case Wait::readable: {
        const Result<void> ready = co_await connection.channel_.readable();
        next = row.on_ready(connection, ready);
        break;
      }
      case Wait::writable: {
        bool cancelled = false;
        Result<void> ready;
        try {
          ready = co_await connection.channel_.writable();
        } catch (const Cancelled&) {  // decided: a response that is complete is sent, though its client has sent a FIN
          if (!connection.half_close_counted_) throw;
          cancelled = true;
        }
        if (!cancelled) {
          next = row.on_ready(connection, ready);
          break;
        }
        const auto rest = [&connection] { return connection.send_rest_to_half_closed(); };
        co_await shield(rest);
        co_return;
      }
      case Wait::task:
        next = co_await row.task(connection);
        break;
      case Wait::task_until_hangup: {
        const Connection::Watch watch(connection);
        next = co_await row.task(connection);
        break;
      }
      case Wait::handler_until_hangup: {
        const Connection::Watch watch(connection);
        Response response = co_await connection.run_handler();
        next = connection.send_response(std::move(response));
        break;
      }
      case Wait::nothing:  // does not occur: advance() never stops in such a state
      case Wait::end:
        co_return;
    }
  }
}

void Connection::advance(ConnectionState next) {
  for (;;) {
    const StateRow& row = StateTable::row(next);
    if (next != state_) {
      if (server_state_.trace_connections) [[unlikely]] {
        trace(next);
      }
      if (row.deadline != StateRow::Deadline::none) start_deadline(row);
      state_ = next;
    }
    if (row.wait != StateRow::Wait::nothing) break;
    next = row.step(*this);
  }
  // An idle connection holds no buffer, so its context returns to the pool.
  if (context_ && context_->idle()) context_.give_back();
}

// A deadline starts when its state is entered from another state.
void Connection::start_deadline(const StateRow& entered) noexcept {
  using Deadline = StateRow::Deadline;
  const ServerOptions& options = server_state_.options;
  switch (entered.deadline) {
    case Deadline::none:
      break;
    case Deadline::unlimited:
      channel_.set_read_deadline_in(kNoDeadline);
      break;
    case Deadline::idle:
      channel_.set_read_deadline_in(server_state_.idle_timeout());
      break;
    case Deadline::idle_closing:
      closes_because_ = why_to_close();
      channel_.set_read_deadline_in(closes_because_ == CloseReason::drain ? options.drain_idle_timeout
                                                                          : server_state_.idle_timeout());
      break;
    case Deadline::head:
      channel_.set_read_deadline_in(options.head_timeout);
      break;
    case Deadline::receive:
      // A transfer that await_memory has paused is resumed, not begun.
      if (state_ != ConnectionState::await_memory) transfer_timeout_.begin();
      channel_.set_read_deadline_in(transfer_timeout_.left());
      break;
    case Deadline::send:
      transfer_timeout_.begin();
      channel_.set_write_deadline_in(transfer_timeout_.left());
      break;
    case Deadline::linger:
      server_state_.add_lingering(entry_);
      linger_began_ = linger_received_ = coarse_now();
      channel_.set_read_deadline_in(linger_left());
      break;
  }
}

Connection::CloseReason Connection::why_to_close() const noexcept {
  if (server_state_.draining()) return CloseReason::drain;
  return server_state_.overload.under_connection_pressure() ? CloseReason::pressure : CloseReason::none;
}

// An idle connection that was asked to close is asked again. Its deadline changes only if there is a reason now that
// leaves less time: repeated requests must not extend it.
void Connection::close_sooner() noexcept {
  if (why_to_close() > closes_because_) start_deadline(StateTable::row(ConnectionState::idle_closing));
}

void Connection::trace(ConnectionState next) const noexcept {
  kHttpLog(LogLevel::info, "connection state",
           {{"connection", entry_.task()},
            {"from", StateTable::row(state_).name},
            {"to", StateTable::row(next).name},
            {"received_bytes", context_ ? context_->received_bytes() : 0},
            {"unsent_bytes", context_ ? context_->unsent_bytes() : 0}});
}

bool Connection::secure() const noexcept {
  const Transport* transport = channel_.transport();
  return transport != nullptr && transport->secure();
}

const message::TypedStore* Connection::facts() const noexcept {
  const Transport* transport = channel_.transport();
  return transport != nullptr ? &transport->facts() : nullptr;
}

// A streamed response of unknown size may wait for events without an end, so a FIN counts at once. One of known size is
// often a file, whose client may have closed its sending side and may still read: BodySender decides.
bool Connection::half_close_counts_at_once() const noexcept {
  return state_ != ConnectionState::send_body || !streamed_->body_size();
}

// The task is light except while it serves a request of a heavy route. A client sends its request once it knows that it
// is connected, so the first turn tries to read one only if the connection has waited. The wait, also that in the
// backlog, then counts as a wait of the request.
ConnectionState Connection::start() noexcept {
  static_cast<void>(begin_work(WorkClass()));
  add_to_queued_time(admission_.backlog_wait());
  if (this_turn().queued_for > kRequestComesWithin) channel_.expect_more();
  return admission_.listener_state().behind_proxy() ? ConnectionState::read_preamble : ConnectionState::admit;
}

Task<ConnectionState> Connection::read_preamble() {
  const bool read = co_await channel_.read_preamble(admission_.listener_state());
  if (!read) server_state_.refused.count_proxy_header();
  co_return read ? ConnectionState::admit : ConnectionState::close;
}

ConnectionState Connection::admit() {
  if (!admission_.admit(channel_)) {
    server_state_.overload.note(OverloadReason::client_connections, coarse_now());
    channel_.abort_on_close();
    return ConnectionState::close;
  }
  return channel_.transport() != nullptr ? ConnectionState::handshake : open();
}

Task<ConnectionState> Connection::open_transport() {
  const Result<void> opened = co_await channel_.open_transport();
  if (!opened) server_state_.refused.count_handshake();
  co_return opened ? open() : ConnectionState::close;
}

ConnectionState Connection::open() noexcept {
  entry_.set_open();
  return ConnectionState::idle;
}

// Shuts down only the sending side. After a close(), the kernel would respond with a reset to data that is unread or
// arrives later. The reset could destroy the last response before the client has read it (RFC 9112 section 9.6).
ConnectionState Connection::shutdown_linger() noexcept {
  if (context_) end_exchange(ExchangeOutcome::complete);
  context_.give_back();
  channel_.shutdown_write();
  return ConnectionState::linger;
}

// The client has asked for the close and should send nothing more, so the connection is closed at once. It lingers only
// if the client has sent more.
ConnectionState Connection::shutdown_close() noexcept {
  const ConnectionState lingering = shutdown_linger();
  const Result<std::size_t> count = discard_received();
  return count && *count != 0 ? lingering : ConnectionState::close;
}

// Reads once even if the deadline has passed: on a busy machine, this task may run only long after the bytes arrived.
// The wait may also have been interrupted, because the server drains or needs room for new connections: the connection
// may linger for less time then.
ConnectionState Connection::linger_on(const Result<void>& ready) noexcept {
  const Result<std::size_t> count = discard_received();
  const bool blocked = would_block(count);
  if (blocked ? timed_out(ready) : !count || *count == 0) return ConnectionState::close;
  if (!blocked) linger_received_ = coarse_now();
  const std::chrono::nanoseconds left = linger_left();
  if (entry_.linger_ended() || left <= std::chrono::nanoseconds(0)) return ConnectionState::close;
  channel_.set_read_deadline_in(left);
  return ConnectionState::linger;
}

Result<std::size_t> Connection::discard_received() noexcept {
  VOLT_UNINITIALIZED std::array<std::byte, kIgnoredBytes> discarded;
  return channel_.try_read_undecoded(discarded);
}

std::chrono::nanoseconds Connection::linger_left() const noexcept {
  const ServerOptions& options = server_state_.options;
  std::chrono::milliseconds idle = options.linger_idle_timeout;
  std::chrono::milliseconds total = options.linger_timeout;
  const bool draining = server_state_.draining();
  if (draining || server_state_.overload.under_connection_pressure()) {
    idle = std::min(idle, draining ? options.drain_idle_timeout : options.pressure_idle_timeout);
    total = std::min(total, kLingerMaxInHaste);
  }
  return std::min(linger_began_ + total, linger_received_ + idle) - coarse_now();
}

}  // namespace volt::http::server
