// SPDX-License-Identifier: MIT

// Listening: a connection that listens to channels.
//
// Threads: one task at a time. Errors: Unavailable, Error; the connection must then be closed. Cancellation: the
// connection must be closed if a task was cancelled in open() or check().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pg/internal/connect.h"
#include "pg/listener.h"
#include "pg/options.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class Listening {
 public:
  // Connects, and listens to the channels.
  [[nodiscard]] static Task<Listening> open(const PoolOptions& options, const std::vector<std::string>& channels);

  // Returns the next notification that has arrived, without a wait.
  [[nodiscard]] std::optional<Notification> take();
  // Waits until something has arrived. After a minute of silence, checks that the server responds.
  [[nodiscard]] Task<> wait();

 private:
  explicit Listening(Connected connected) noexcept : connected_(std::move(connected)) {}
  // Executes a statement and waits for its end.
  [[nodiscard]] Task<> execute(std::string statement);
  [[nodiscard]] Task<> flush();
  // Reads data that has arrived.
  void consume();

  Connected connected_;
  bool unread_ = false;  // there may be more data, which the reactor does not report
};

}  // namespace volt::pg::internal
