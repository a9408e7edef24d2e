// SPDX-License-Identifier: MIT

// Listening: a connection that listens to channels.
//
// Threads: one task at a time. Errors: Unavailable, Error; the connection must then be closed. Cancellation: wait() may
// be called again, and continues a check of the server that it began.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "pg/internal/connect.h"
#include "pg/listener.h"
#include "pg/options.h"
#include "runtime/deadline.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class Listening {
 public:
  // Connects, and listens to the channels.
  [[nodiscard]] static Task<Listening> open(const PoolOptions& options, const std::vector<std::string>& channels);

  // Returns the next notification that has arrived, without a wait.
  [[nodiscard]] std::optional<Notification> take();
  // Waits until something has arrived. After a minute of silence, which several calls may share, checks that the server
  // responds.
  [[nodiscard]] Task<> wait();

 private:
  explicit Listening(Connected connected) noexcept : connected_(std::move(connected)) {}
  // Begins a statement, which finish() sends and waits for. No other may begin before its end.
  void begin(const std::string& statement);
  [[nodiscard]] Task<> finish();
  [[nodiscard]] Task<> flush();
  // Reads data that has arrived.
  void consume();

  Connected connected_;
  bool unread_ = false;        // there may be more data, which the reactor does not report
  bool in_statement_ = false;  // begun, and not at its end
  Deadline reply_by_ = Deadline::after(std::chrono::nanoseconds(0));  // the end of that statement
  Deadline check_at_ = reply_by_;                                     // if nothing arrives before
};

}  // namespace volt::pg::internal
