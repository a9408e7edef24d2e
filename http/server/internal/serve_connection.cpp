#include "http/server/internal/serve_connection.h"

#include "http/server/internal/connection.h"
#include "http/server/internal/io_channel.h"

namespace volt::http::server {
namespace {

// The connection is listed as long as it is served.
class ConnectionRegistration {
 public:
  ConnectionRegistration(ServerState& server_state, ConnectionEntry& entry)
      : server_state_(server_state), entry_(entry) {
    server_state_.add_connection(entry_);
  }
  ~ConnectionRegistration() { server_state_.remove_connection(entry_); }
  ConnectionRegistration(const ConnectionRegistration&) = delete;
  ConnectionRegistration& operator=(const ConnectionRegistration&) = delete;

 private:
  ServerState& server_state_;
  ConnectionEntry& entry_;
};

}  // namespace

Task<> serve_connection(TcpStream accepted, Admission admission) {
  ServerState& server_state = admission.server_state();
  IoChannel io_channel(std::move(accepted), admission.listener_state());
  ConnectionEntry entry(io_channel, server_state.traffic());
  const ConnectionRegistration listed(server_state, entry);
  if (admission.listener_state().behind_proxy()) {
    auto reading_preamble = io_channel.read_preamble(admission.listener_state(), server_state.options.head_timeout);
    const bool preamble_read = co_await std::move(reading_preamble);
    if (!preamble_read) co_return;
  }
  if (!admission.admit(io_channel)) {
    server_state.overload.note(OverloadReason::client_connections, coarse_now());
    io_channel.abort_on_close();
    co_return;
  }
  if (io_channel.transport() != nullptr) {
    auto opening = io_channel.open_transport();
    const bool open = co_await std::move(opening);
    if (!open) co_return;
  }
  entry.set_open();
  Connection connection(server_state, io_channel, entry);
  const net::Hangup gone = server_state.options.half_close_cancels ? net::Hangup::half : net::Hangup::full;
  ConnectionState state = ConnectionState::read_head;
  while (state != ConnectionState::close) {
    switch (state) {
      case ConnectionState::read_head:
      case ConnectionState::read_body:
      case ConnectionState::drop_body:
      case ConnectionState::linger: {
        const Result<void> ready = co_await io_channel.readable();
        state = connection.read(state, ready);
        break;
      }
      case ConnectionState::await_memory: {
        auto waiting = connection.await_memory();
        state = co_await std::move(waiting);
        break;
      }
      case ConnectionState::send_rest: {
        const Result<void> ready = co_await io_channel.writable();
        state = connection.send_rest(ready);
        break;
      }
      case ConnectionState::await_handler: {
        // A client that is gone cancels its handler, and this task with it: there is nobody left to talk to.
        const auto watch = io_channel.cancel_on_hangup(gone);
        auto responding = connection.run_handler();
        Response response = co_await std::move(responding);
        state = connection.send_response(std::move(response));
        break;
      }
      case ConnectionState::send_body: {
        const auto watch = io_channel.cancel_on_hangup(gone);
        auto sending = connection.send_body();
        state = co_await std::move(sending);
        break;
      }
      case ConnectionState::switch_protocol: {
        auto upgrading = connection.run_upgrade();
        state = co_await std::move(upgrading);
        break;
      }
      case ConnectionState::finish:
        state = connection.finish();
        break;
      case ConnectionState::proceed:
        state = connection.proceed();
        break;
      case ConnectionState::close:
        break;
    }
  }
}

}  // namespace volt::http::server
