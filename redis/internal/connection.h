// SPDX-License-Identifier: MIT

// Connection: one connection to the server, with commands of any number of tasks in progress.
//
// The replies arrive in the order of the commands, so the tasks that wait for them stand in a queue. A task that stops
// waiting keeps its place there: its replies are dropped when they arrive.
//
// Threads: any; serve() and Link::write() run only in the two tasks. Lifetime: shared by its tasks, the pool and the
// leases. Cancellation: its tasks are cancelled when the runtime stops, which closes the connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/connection_pool.h"
#include "redis/internal/link.h"
#include "redis/options.h"
#include "redis/reply.h"
#include "runtime/oneshot.h"
#include "runtime/task.h"

namespace volt::redis::internal {

// Why commands have no replies.
struct Loss {
  std::string reason;
  bool timed_out = false;  // the server did not answer, and command_timeout had passed
};

// One reply for each command. Error: the connection was lost.
using Outcome = std::expected<std::vector<Reply>, Loss>;

class Connection final : public database::PooledConnection {
 public:
  Connection(std::shared_ptr<Link> link, const PoolOptions& options);

  // Sends `bytes`, which are `commands` commands; their replies are sent to `outcome` when the lease has been returned.
  // Returns false if the connection has ended; then nothing was sent, and nothing was taken from the arguments. Must be
  // called in a task.
  [[nodiscard]] bool send(std::string_view bytes, std::size_t commands, database::Lease& lease,
                          OneshotSender<Outcome>& outcome);
  // Ends the connection; commands in progress are lost. May be called from any thread.
  void close() noexcept override { link_->close(); }

  // Receives replies until the connection ends, or was unused for PoolOptions::idle_timeout and `may_leave` returns
  // true. Starts the other task.
  [[nodiscard]] Task<> serve(std::function<bool()> may_leave) override;
  // Closes the connection, and fails all commands in progress.
  void end() noexcept override;

 private:
  struct Pending {
    std::size_t commands;
    std::vector<Reply> replies;
    database::Lease lease;
    OneshotSender<Outcome> outcome;
    std::chrono::nanoseconds sent_at;
  };

  [[nodiscard]] bool take(std::vector<Reply>& replies);
  [[nodiscard]] std::optional<Pending> take_first() noexcept;
  void fail(Pending lost) const noexcept;
  [[nodiscard]] bool overdue();
  [[nodiscard]] bool unused_for_long();

  const std::chrono::nanoseconds command_timeout_;
  const std::chrono::nanoseconds idle_timeout_;
  const std::shared_ptr<Link> link_;
  std::string reason_ = "the runtime is stopping";  // why serve() has ended; used by its task only
  std::chrono::nanoseconds gave_up_at_{0};          // when it ended because the server did not answer
  std::mutex mutex_;
  std::deque<Pending> pending_;
  std::chrono::nanoseconds used_at_;
  std::chrono::nanoseconds received_at_;
  bool ended_ = false;
};

// Returns the connection of a lease.
[[nodiscard]] inline std::shared_ptr<Connection> connection_of(const database::Lease& lease) {
  return std::static_pointer_cast<Connection>(lease.connection());
}

}  // namespace volt::redis::internal
