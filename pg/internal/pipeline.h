// Pipeline: libpq's connection, and the queries whose answers it is to give, in their order.
//
// Each query has a Sync of its own. libpq 17 can queue that without sending, so that what several tasks ask leaves in one
// write; before, each query is a write, and the kernel makes one packet of those that are sent together (cork.h).
//
// Threads: one at a time, under the lock of its Connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pg/internal/libpq.h"
#include "pg/internal/reply.h"
#include "pg/internal/statements.h"

namespace volt::pg::internal {

using Replies = std::vector<std::shared_ptr<Reply>>;

enum class Flushed : std::uint8_t { all, partly, failed };

class Pipeline {
 public:
  Pipeline(ConnectionHandle handle, std::size_t statements_max) noexcept
      : handle_(std::move(handle)), statements_(statements_max) {}

  // Queues the query; its outcome will be `reply`'s of that index, in any case. False: the connection is broken.
  [[nodiscard]] bool send(const Query& query, const std::shared_ptr<Reply>& reply, std::size_t index);
  [[nodiscard]] Flushed flush() noexcept;

  // Takes in what has come; those that are complete by it are appended. False: the connection is at its end.
  [[nodiscard]] bool receive(Replies& complete);
  // All others, which then have ConnectionLost for what is missing. Ends the connection.
  void fail_all(Replies& complete);
  // Of such a reply's queries none counts as waited for any more.
  void abandon(const Reply& reply) noexcept;

  [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }
  // What it still does is of use to nobody.
  [[nodiscard]] bool has_only_abandoned() const noexcept { return !queue_.empty() && live_ == 0; }
  [[nodiscard]] PGconn* handle() const noexcept { return handle_.get(); }

 private:
  struct Entry {
    std::shared_ptr<Reply> reply;
    std::size_t index;
    std::shared_ptr<Statement> statement;  // null: not prepared
    bool prepares;                         // the next result is that of its preparation
    [[nodiscard]] Outcome& outcome() const { return reply->outcomes[index]; }
  };

  [[nodiscard]] bool take_results(Replies& complete);
  [[nodiscard]] bool take(ResultHandle result, Replies& complete);
  void take_rows(Entry& entry, ResultHandle result);
  [[nodiscard]] bool take_error(Entry& entry, const PGresult* result);
  void finish_first(Replies& complete);
  void lose(std::string why);

  ConnectionHandle handle_;  // null: ended
  Statements statements_;
  std::deque<Entry> queue_;
  std::size_t live_ = 0;  // of the queue, those whose reply is not abandoned
  std::string lost_;      // why it ended
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace volt::pg::internal
