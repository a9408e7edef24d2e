// SPDX-License-Identifier: MIT

// Connection: one connection to the server, with queries of any number of tasks in progress.
//
// It has two tasks. serve() receives results and delivers them; it ends with the connection. write() sends the queries
// that libpq has queued. It lets runnable tasks add their queries first, so that one write carries them all.
// write() also handles abandoned queries. If only abandoned queries are in progress and their results do not arrive
// soon, or a COPY was abandoned, the connection is closed and write() sends a cancel request to the server. The
// connection is not reused, because the cancel request might hit a later query.
//
// Threads: any; serve() and write() run only in the two tasks. Calls of libpq are made under a lock; none of them
// blocks.
// Lifetime: shared by its tasks, the pool and leases. Cancellation: its tasks are canceled when the runtime stops,
// which closes the connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "database/connection_pool.h"
#include "pg/internal/connect.h"
#include "pg/internal/copy_exchange.h"
#include "pg/internal/pipeline.h"
#include "pg/options.h"
#include "runtime/notify.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class Connection final : public database::PooledConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Connected connected, const PoolOptions& options);

  // Sends the queries; their outcomes will be stored in `reply`. Returns false if the connection has ended and nothing
  // was sent; then the reply keeps its lease. Must be called in a task.
  [[nodiscard]] bool send(std::span<const Query> queries, const std::shared_ptr<Reply>& reply);
  // Abandons a reply whose receiver stopped waiting. Must be called in a task.
  void abandon(Reply& reply) noexcept;
  // Begins a COPY, which has the connection to itself, and waits until the data may flow. Throws ConnectionLost; Error
  // if the statement begins no such COPY, or earlier queries of the transaction are still in progress; ServerError.
  // Cancellation: closes the connection.
  [[nodiscard]] Task<std::shared_ptr<CopyExchange>> begin_copy(std::string statement, CopyDirection direction);
  // Sends data, and waits until the socket has taken it. `bytes` must stay valid until then.
  [[nodiscard]] Task<> put_copy_data(std::shared_ptr<CopyExchange> copy, std::string_view bytes);
  // Ends the data. Returns the number of rows when the server has stored them.
  [[nodiscard]] Task<std::uint64_t> end_copy(std::shared_ptr<CopyExchange> copy);
  // Waits for data, and appends whole rows to `into`. Returns false at the end.
  [[nodiscard]] Task<bool> get_copy_data(std::shared_ptr<CopyExchange> copy, std::string& into);
  // Returns whether a COPY has begun and not come to its end.
  [[nodiscard]] bool copying();
  // Closes the connection if the COPY is not at its end: that is how the server learns that the rest will not follow.
  void abandon_copy(CopyExchange& copy) noexcept;
  // Does so with the COPY that is in progress. Returns false if there is none.
  bool abandon_any_copy() noexcept;

  // Ends the connection; queries in progress are lost. May be called from any thread.
  void close() noexcept override { socket_.shut_down(); }  // ends serve()

  // Receives results until the connection ends. Ends it if `may_leave` returns true when the connection was unused for
  // PoolOptions::idle_timeout, or has outgrown what is worth keeping (Pipeline::outgrown()). Starts the other task.
  [[nodiscard]] Task<> serve(std::function<bool()> may_leave) override;
  // Fails all replies with ConnectionLost.
  void end() noexcept override;

 private:
  static Task<> write(std::shared_ptr<Connection> connection);
  enum class Received : std::uint8_t {
    all,       // more may arrive
    outgrown,  // more may arrive, but the connection must be replaced when no task uses it
    paused,    // the task that copies must take data first
    end,       // the connection has ended
  };
  [[nodiscard]] Received receive();
  [[nodiscard]] bool receive_copy_locked();
  // Waits until a COPY has changed, for at most `query_timeout_`; then closes the connection and throws QueryTimeout.
  [[nodiscard]] Task<> copy_changed(std::shared_ptr<CopyExchange> copy);
  // Returns false if the data of the COPY is at its end.
  [[nodiscard]] bool put_piece(CopyExchange& copy, std::string_view piece);
  [[nodiscard]] CopyExchange::Phase get_piece(CopyExchange& copy, std::string& into);
  [[nodiscard]] CopyExchange::Phase copy_phase(const CopyExchange& copy);
  [[nodiscard]] bool copy_unflushed(const CopyExchange& copy);
  void throw_failure(const CopyExchange& copy);
  void flush_copy_locked(CopyExchange& copy);
  void lose_copy_locked();
  [[nodiscard]] bool unused_for_long();
  // Returns how many replies were abandoned so far, if all queries in progress are abandoned.
  [[nodiscard]] std::optional<std::uint64_t> only_abandoned();
  [[nodiscard]] bool take_unsent();
  [[nodiscard]] Flushed flush();
  [[nodiscard]] Task<> flush_all();
  // Closes the connection, after which write() requests the server to cancel what it does.
  void stop_server_locked() noexcept;
  // Ends the connection if all queries in progress are abandoned, and only `count` replies were abandoned so far.
  void stop_abandoned(std::uint64_t count);
  [[nodiscard]] Task<> request_cancel();
  [[nodiscard]] bool ended();

  const std::chrono::milliseconds idle_timeout_;
  const std::chrono::milliseconds drain_timeout_;
  const std::chrono::milliseconds query_timeout_;  // also of each wait for room in the socket
  SharedSocket socket_;
  Notify work_;         // wakes write()
  Notify copy_resume_;  // wakes serve(), which waits for the task that copies
  std::mutex mutex_;
  Pipeline pipeline_;
  CancelHandle cancel_;                 // of what the server does for nothing; null: nothing
  std::shared_ptr<CopyExchange> copy_;  // the last COPY; null: there was none
  std::uint64_t abandonments_ = 0;      // number of replies that were abandoned so far
  bool unsent_ = false;
  bool ended_ = false;
  std::chrono::nanoseconds used_at_;
};

// Returns the connection of a lease.
[[nodiscard]] inline std::shared_ptr<Connection> connection_of(const database::Lease& lease) {
  return std::static_pointer_cast<Connection>(lease.connection());
}

}  // namespace volt::pg::internal
