// SPDX-License-Identifier: MIT

#include "pg/internal/connect.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "pg/error.h"
#include "runtime/blocking.h"
#include "runtime/concurrent.h"

namespace volt::pg::internal {
namespace {

// Defaults of connection parameters. The keepalive settings detect a peer that has disappeared within a minute, even on
// an idle connection.
constexpr const char* kKeywords[] = {
    "keepalives_idle", "keepalives_interval", "keepalives_count",          "tcp_user_timeout",
    "dbname",          "client_encoding",     "fallback_application_name", nullptr};

ConnectionHandle start(const std::string& url) {
  const char* values[] = {"30", "10", "3", "60000", url.c_str(), "UTF8", "volt", nullptr};
  return ConnectionHandle(PQconnectStartParams(kKeywords, values, 1));
}

[[noreturn]] void fail(PGconn* handle) {
  throw Unavailable(handle == nullptr ? "out of memory" : sentence(PQerrorMessage(handle)));
}

void ignore_notice(void*, const PGresult*) {}

// Returns whether one of `events` is ready now. The reactor reports only changes of readiness, so it does not report a
// descriptor that was ready before the wait.
bool ready_now(int fd, short events) noexcept {
  pollfd watched{.fd = fd, .events = events, .revents = 0};
  return ::poll(&watched, 1, 0) != 0;
}

// A duplicate of the descriptor that libpq currently uses.
class Watched {
 public:
  // Replaces the duplicate if libpq uses another socket.
  void follow(int fd) {
    struct stat facts{};
    if (fd < 0 || ::fstat(fd, &facts) != 0) throw Unavailable("libpq has no socket");
    if (socket_ && facts.st_ino == inode_) return;
    const int duplicate = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) throw Unavailable(std::system_category().message(errno));
    socket_.emplace(duplicate);
    inode_ = facts.st_ino;
  }
  [[nodiscard]] StreamSocket& socket() noexcept { return *socket_; }
  [[nodiscard]] SharedSocket take() noexcept { return *std::move(socket_); }

 private:
  std::optional<SharedSocket> socket_;
  ino_t inode_ = 0;  // inode of the socket; identifies it, because descriptor numbers are reused
};

Task<> wait_for(StreamSocket& socket, bool to_read) {
  Result<void> ready;
  if (to_read) {
    ready = co_await socket.readable();
  } else {
    ready = co_await socket.writable();
  }
  if (!ready) throw Unavailable(ready.error().message());
}

Task<Connected> connect_without_limit(const std::string& url) {
  ConnectionHandle handle = co_await blocking([&url] { return start(url); });
  PGconn* const connection = handle.get();
  if (connection == nullptr || PQstatus(connection) == CONNECTION_BAD) fail(connection);
  Watched watched;
  PostgresPollingStatusType wants = PGRES_POLLING_WRITING;
  while (wants != PGRES_POLLING_OK) {
    if (wants == PGRES_POLLING_FAILED) fail(connection);
    watched.follow(PQsocket(connection));
    const bool to_read = wants == PGRES_POLLING_READING;
    while (!ready_now(PQsocket(connection), to_read ? POLLIN : POLLOUT)) co_await wait_for(watched.socket(), to_read);
    wants = co_await blocking([connection] { return PQconnectPoll(connection); });
  }
  watched.follow(PQsocket(connection));
  PQsetNoticeReceiver(connection, ignore_notice, nullptr);
  if (PQsetnonblocking(connection, 1) != 0 || PQenterPipelineMode(connection) != 1) fail(connection);
  co_return Connected{std::move(handle), watched.take()};
}

}  // namespace

Task<Connected> connect(const PoolOptions& options) {
  Result<Connected> connected =
      co_await within(options.connect_timeout, [&options] { return connect_without_limit(options.url); });
  if (!connected) throw Unavailable("connecting to the server timed out");
  co_return *std::move(connected);
}

std::string database_of(const Connected& connected) {
  const PGconn* const connection = connected.handle.get();
  const auto text = [](const char* value) { return std::string(value != nullptr ? value : ""); };
  return text(PQhost(connection)) + ":" + text(PQport(connection)) + "/" + text(PQdb(connection));
}

}  // namespace volt::pg::internal
