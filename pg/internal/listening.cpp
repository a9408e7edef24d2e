// SPDX-License-Identifier: MIT

#include "pg/internal/listening.h"

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "pg/error.h"

namespace volt::pg::internal {
namespace {

constexpr auto kSilenceMax = std::chrono::minutes(1);
constexpr auto kReplyTimeout = std::chrono::seconds(10);

struct FreeMemory {
  void operator()(void* memory) const noexcept { PQfreemem(memory); }
};

[[noreturn]] void fail_listening(PGconn* connection) { throw Unavailable(sentence(PQerrorMessage(connection))); }

}  // namespace

Task<Listening> Listening::open(const PoolOptions& options, const std::vector<std::string>& channels) {
  Listening listening(co_await connect(options));
  PGconn* const connection = listening.connected_.handle.get();
  if (PQexitPipelineMode(connection) != 1) fail_listening(connection);  // notifications need no pipeline
  std::string statements;
  for (const std::string& channel : channels) {
    const std::unique_ptr<char, FreeMemory> quoted(PQescapeIdentifier(connection, channel.data(), channel.size()));
    if (quoted == nullptr) fail_listening(connection);
    statements.append("listen ").append(quoted.get()).append(";");
  }
  listening.begin(statements);
  co_await listening.finish();
  co_return std::move(listening);
}

void Listening::begin(const std::string& statement) {
  PGconn* const connection = connected_.handle.get();
  if (PQsendQuery(connection, statement.c_str()) != 1) fail_listening(connection);
  in_statement_ = true;
  reply_by_ = Deadline::after(kReplyTimeout);
}

Task<> Listening::finish() {
  PGconn* const connection = connected_.handle.get();
  consume();  // what arrived while no task waited, which may be longer than the limit
  co_await flush();
  for (;;) {
    while (PQisBusy(connection) != 0) {
      if (!unread_) {
        connected_.socket.set_read_deadline_in(reply_by_.left());
        const Result<void> ready = co_await connected_.socket.readable();
        if (!ready) throw Unavailable(ready.error().message());
      }
      consume();
    }
    const ResultHandle result(PQgetResult(connection));
    if (result == nullptr) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail_listening(connection);
  }
  in_statement_ = false;
  check_at_ = Deadline::after(kSilenceMax);
}

Task<> Listening::flush() {
  PGconn* const connection = connected_.handle.get();
  for (int left = PQflush(connection); left != 0; left = PQflush(connection)) {
    if (left < 0) fail_listening(connection);
    connected_.socket.set_write_deadline_in(reply_by_.left());
    const Result<void> ready = co_await connected_.socket.writable();
    if (!ready) throw Unavailable(ready.error().message());
  }
}

void Listening::consume() {
  PGconn* const connection = connected_.handle.get();
  if (PQconsumeInput(connection) != 1) fail_listening(connection);
  // The TLS library may hold the rest of a record, of which libpq has consumed a part.
  const bool encrypted = PQsslInUse(connection) != 0 || PQgssEncInUse(connection) != 0;
  if (encrypted && PQconsumeInput(connection) != 1) fail_listening(connection);
  unread_ = has_unread(PQsocket(connection));
}

std::optional<Notification> Listening::take() {
  const std::unique_ptr<PGnotify, FreeMemory> taken(PQnotifies(connected_.handle.get()));
  if (taken == nullptr) return std::nullopt;
  return Notification{.channel = taken->relname, .payload = taken->extra, .backend = taken->be_pid};
}

Task<> Listening::wait() {
  if (!in_statement_ && !unread_) {
    connected_.socket.set_read_deadline_in(check_at_.left());
    const Result<void> ready = co_await connected_.socket.readable();
    if (!ready && ready.error() != std::errc::timed_out) throw Unavailable(ready.error().message());
    if (!ready) begin("select 1");
  }
  if (in_statement_) {  // possibly begun by a wait that was cancelled: libpq reads no notification behind its reply
    co_await finish();
  } else {
    consume();
    check_at_ = Deadline::after(kSilenceMax);
  }
}

}  // namespace volt::pg::internal
