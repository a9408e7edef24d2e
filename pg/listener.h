// SPDX-License-Identifier: MIT

// Listener: receives the notifications of PostgreSQL's channels (LISTEN and NOTIFY), on a connection of its own.
//
//   pg::Listener listener(pg::options_from_environment(), {"orders"});
//   for (;;) {
//     const pg::Notification news = co_await listener.next();
//     if (news.gap) co_await load_all(); else co_await load(news.payload);
//   }
//
//   co_await db.execute("select pg_notify($1, $2)", "orders", "17");  // also in a transaction: sent by its commit
//
// A notification reaches those that listen at that moment; PostgreSQL keeps none for later. When the connection is
// lost, the listener connects again, and tells the gap in which notifications may have been missed: then, and at the
// beginning, next() returns a Notification with `gap`. A program that reads its state from the database at each gap
// misses nothing. Payloads are texts of at most 8,000 bytes.
//
// After a minute in which nothing has arrived, however many calls of next() it took, the listener checks that the
// server responds.
//
// Threads: one task at a time. Cancellation: next() may be called again, and misses nothing without telling a gap.
// Lifetime: a resource; must not be moved while a task waits. Errors: next() throws none of the connection; the log
// says when it is lost (module `pg`).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pg/options.h"
#include "runtime/task.h"

namespace volt::pg {

struct Notification {
  bool gap = false;  // notifications may have been missed before; the other members are empty
  std::string channel = {};
  std::string payload = {};
  int backend = 0;  // process of the server that sent it: pg_backend_pid()
};

class Listener {
 public:
  // Connects at the first next(). Uses `url`, `connect_timeout`, `backoff_min` and `backoff_max` of the options. Throws
  // std::invalid_argument without a channel.
  Listener(PoolOptions options, std::vector<std::string> channels);
  Listener(Listener&&) noexcept;
  Listener& operator=(Listener&&) noexcept;
  ~Listener();

  // Waits for the next notification.
  [[nodiscard]] Task<Notification> next();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace volt::pg
