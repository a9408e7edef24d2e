// connect: a new connection to the server, in pipeline mode, and a socket to wait for it with.
//
// libpq owns its descriptor, and may replace it while it connects; we wait on a duplicate. Its steps look up names, derive
// keys from passwords and shake hands, which may block or compute for long: they run on the pool for what blocks.
//
// Cancellation: what was under way is closed. Errors: Unavailable, with libpq's reason.
#pragma once

#include <sys/socket.h>

#include "pg/internal/libpq.h"
#include "pg/options.h"
#include "runtime/stream_socket.h"
#include "runtime/task.h"

namespace volt::pg::internal {

// The duplicate. Shut down, it ends the connection for libpq as well, whatever that has done with its own descriptor.
class SharedSocket : public StreamSocket {
 public:
  using StreamSocket::StreamSocket;
  void shut_down() noexcept { ::shutdown(fd(), SHUT_RDWR); }
};

struct Connected {
  ConnectionHandle handle;
  SharedSocket socket;
};

[[nodiscard]] Task<Connected> connect(const PoolOptions& options);

}  // namespace volt::pg::internal
