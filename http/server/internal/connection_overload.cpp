// SPDX-License-Identifier: MIT

// The part of a Connection that refuses requests when the server is overloaded (http/server/internal/overload.h).
#include <array>
#include <span>
#include <string_view>

#include "http/server/internal/connection.h"
#include "http/web/problem.h"
#include "runtime/base/uninitialized.h"
#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {

// Responds 503 without calling the handler. If memory is low, also closes the connection, which frees its memory.
ConnectionState Connection::refuse_overloaded(OverloadReason reason) {
  server_state_.overload.note(reason, coarse_now());
  entry_.times().refuse();
  Problem problem = unavailable();
  if (reason == OverloadReason::memory) problem.close();
  return send_response(problem.to_response());
}

// Leaves received bytes in the kernel until memory is available. Then calls read_body() without waiting for
// readability: the wait before await_memory has already consumed the event for these bytes.
Task<ConnectionState> Connection::await_memory() {
  transfer_timeout_.pause();
  const bool relieved = co_await server_state_.overload.memory.relief();
  transfer_timeout_.resume();
  co_return relieved ? read_body({}) : refuse_overloaded(OverloadReason::memory);
}

// Refuses a request without memory for its head: drops the received bytes and sends a response that needs no
// allocation.
ConnectionState Connection::reject_without_memory(const Result<void>& ready) noexcept {
  constexpr std::string_view kResponse =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  VOLT_UNINITIALIZED std::array<std::byte, kIgnoredBytes> dropped;
  const Result<std::size_t> count = channel_.try_read(dropped);
  if (would_block(count)) return timed_out(ready) ? ConnectionState::shutdown_linger : state_;
  if (!count || *count == 0) return ConnectionState::close;
  server_state_.overload.note(OverloadReason::memory, coarse_now());
  server_state_.overload.memory.look(coarse_now());
  entry_.answered(Status::service_unavailable);
  if (!channel_.try_write(std::as_bytes(std::span(kResponse)))) return ConnectionState::close;
  return ConnectionState::shutdown_linger;
}

}  // namespace volt::http::server
