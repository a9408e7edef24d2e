// SPDX-License-Identifier: MIT

// connect: opens a connection to the server in pipeline mode, with a socket to wait for its readiness.
//
// libpq owns its descriptor, and may replace it while it connects, so waits use a duplicate. The steps of connecting
// look up names, derive keys from passwords and perform handshakes. They may block or compute for long, so they run on
// the blocking pool.
//
// Cancellation: closes the unfinished connection. Errors: Unavailable, with the message of libpq.
#pragma once

#include <sys/socket.h>

#include <string>

#include "pg/internal/libpq.h"
#include "pg/options.h"
#include "runtime/stream_socket.h"
#include "runtime/task.h"

namespace volt::pg::internal {

// A duplicate of libpq's descriptor. Both refer to the same socket, so shut_down() ends the connection for libpq, too.
// It is safe even after libpq has closed its own descriptor, because the duplicate is still open.
class SharedSocket : public StreamSocket {
 public:
  using StreamSocket::StreamSocket;
  void shut_down() noexcept { ::shutdown(fd(), SHUT_RDWR); }
};

// An open connection.
struct Connected {
  ConnectionHandle handle;
  SharedSocket socket;
};

[[nodiscard]] Task<Connected> connect(const PoolOptions& options);

// Returns which database the connection leads to, for log lines: host:port/name.
[[nodiscard]] std::string database_of(const Connected& connected);

}  // namespace volt::pg::internal
