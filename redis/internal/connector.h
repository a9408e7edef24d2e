// SPDX-License-Identifier: MIT

// Connector: opens connections of a pool and of its subscriptions: TCP or unix socket, TLS, login, database.
//
// Threads: connect() is awaited in tasks, several at a time. Lifetime: shared by the pool and its subscriptions.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "redis/error.h"
#include "redis/internal/link.h"
#include "redis/internal/url.h"
#include "redis/options.h"
#include "runtime/task.h"
#include "tls/client_context.h"

namespace volt::redis::internal {

// The server refused the user, the password or the database, or its certificate was refused: another attempt would fail
// as well.
class Refused : public Unavailable {
 public:
  using Unavailable::Unavailable;
};

class Connector {
 public:
  // Throws std::invalid_argument if the URL is malformed.
  explicit Connector(PoolOptions options);
  // Overwrites the URL and the password.
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  // Opens a connection, on which the server has answered. Cancellation: closes the unfinished connection. Errors:
  // Unavailable, Refused.
  [[nodiscard]] Task<std::shared_ptr<Link>> connect();

  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Target& target() const noexcept { return target_; }

 private:
  [[nodiscard]] Task<std::shared_ptr<Link>> connect_without_limit();
  [[nodiscard]] Task<std::shared_ptr<const tls::ClientContext>> tls_context();
  [[nodiscard]] Task<> log_in(Link& link);

  PoolOptions options_;  // constant until the destructor, as is target_
  Target target_;
  std::mutex mutex_;
  std::shared_ptr<const tls::ClientContext> tls_;  // loaded for the first connection
};

}  // namespace volt::redis::internal
