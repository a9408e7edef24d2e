// SPDX-License-Identifier: MIT

// Pipeline: a connection of libpq, and the queue of queries whose results it will return in order.
//
// Each query has its own Sync. libpq 17 can queue a Sync without sending it, so that the queries of several tasks are
// sent in one write. With an older libpq each query is one write, and the kernel combines the queries of one
// Connection::send() into one packet (cork.h).
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

enum class Flushed : std::uint8_t { all, partly, failed };

class Pipeline {
 public:
  Pipeline(ConnectionHandle handle, std::size_t statements_max) noexcept
      : handle_(std::move(handle)), statements_(statements_max) {}

  // Queues a query. Its outcome will be stored in reply->outcomes[index], even if send() fails. Returns false if the
  // connection is broken.
  [[nodiscard]] bool send(const Query& query, const std::shared_ptr<Reply>& reply, std::size_t index);
  [[nodiscard]] Flushed flush() noexcept;

  // Receives available results, and adds the replies that are now complete. Returns false if the connection has ended.
  [[nodiscard]] bool receive(CompleteReplies& complete);
  // Ends the connection. Sets ConnectionLost in all missing outcomes, and adds their replies.
  void fail_all(CompleteReplies& complete) noexcept;
  // Marks the queries of `reply` as abandoned.
  void abandon(const Reply& reply) noexcept;

  [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }
  // Whether there are queries in progress and all of them are abandoned.
  [[nodiscard]] bool has_only_abandoned() const noexcept { return !queue_.empty() && live_ == 0; }
  // Whether a row or a query was larger than 8 MiB. The buffers of libpq have grown with it, and only the end of the
  // connection frees them.
  [[nodiscard]] bool outgrown() const noexcept { return outgrown_; }
  [[nodiscard]] PGconn* handle() const noexcept { return handle_.get(); }

 private:
  struct Entry {
    std::shared_ptr<Reply> reply;
    std::size_t index;
    std::shared_ptr<Statement> statement;  // null if the query is not prepared
    bool prepares;                         // whether the next result belongs to the preparation
    [[nodiscard]] Outcome& outcome() const { return reply->outcomes[index]; }
  };

  [[nodiscard]] bool take_results(CompleteReplies& complete);
  [[nodiscard]] bool take(ResultHandle result, CompleteReplies& complete);
  void take_rows(Entry& entry, ResultHandle result);
  [[nodiscard]] bool take_error(Entry& entry, const PGresult* result);
  void finish_first(CompleteReplies& complete) noexcept;
  void lose(std::string why);

  ConnectionHandle handle_;  // null once the connection has ended
  Statements statements_;
  std::deque<Entry> queue_;
  std::size_t live_ = 0;  // number of entries of queue_ whose reply is not abandoned
  bool outgrown_ = false;
  std::string lost_;  // why the connection ended
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace volt::pg::internal
