// What a connection says when the server is strained (http/server/internal/overload.h), or ends.
#include <array>
#include <span>
#include <string_view>

#include "http/server/internal/connection.h"
#include "http/web/problem.h"
#include "runtime/result.h"

namespace volt::http::server {

// Nobody has worked on it, nor will. Where memory is short the connection's is wanted too.
ConnectionState Connection::refuse_overloaded(OverloadReason reason) {
  server_state_.overload.note(reason, coarse_now());
  Problem problem = unavailable();
  if (reason == OverloadReason::memory) problem.close();
  return send_response(problem.to_response());
}

// What has come stays where it is meanwhile.
Task<ConnectionState> Connection::await_memory() {
  transfer_timeout_.pause();
  auto waiting = server_state_.overload.memory.relief();
  const bool relieved = co_await std::move(waiting);
  transfer_timeout_.resume();
  co_return relieved ? read_body({}) : refuse_overloaded(OverloadReason::memory);
}

// There is not even memory to read a request: nothing of it is kept.
ConnectionState Connection::reject_without_memory(const Result<void>& ready) noexcept {
  constexpr std::string_view kResponse =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  std::array<std::byte, kIgnoredBytes> dropped;
  const Result<std::size_t> count = channel_.try_read(dropped);
  if (would_block(count)) return timed_out(ready) ? enter(ConnectionState::linger) : ConnectionState::read_head;
  if (!count || *count == 0) return ConnectionState::close;
  server_state_.overload.note(OverloadReason::memory, coarse_now());
  server_state_.overload.memory.look(coarse_now());
  entry_.answered(Status::service_unavailable);
  if (!channel_.try_write(std::as_bytes(std::span(kResponse)))) return ConnectionState::close;
  return enter(ConnectionState::linger);
}

// Draining, or others wait for a place. A request that is on its way already is still answered, so the connection idles
// a little longer.
ConnectionState Connection::schedule_idle_close() noexcept {
  const bool idle = !context_ || !context_->started();
  if (idle && !idle_close_scheduled_) {
    channel_.set_read_deadline_in(server_state_.draining() ? server_state_.options.drain_idle_timeout
                                                           : server_state_.idle_timeout());
    idle_close_scheduled_ = true;
  }
  return ConnectionState::read_head;
}

}  // namespace volt::http::server
