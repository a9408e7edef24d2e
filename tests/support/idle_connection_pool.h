// SPDX-License-Identifier: MIT

// IdleConnectionPool: a ConnectionPool whose connections lead to nothing, for tests of its leases.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "database/connection_pool.h"
#include "runtime/notify.h"
#include "runtime/task.h"

namespace volt::test {

// A connection to nothing, which stays open until it is closed.
class IdleConnection final : public database::PooledConnection {
 public:
  Task<> serve(std::function<bool()> /*may_leave*/) override { co_await closed_.notified(); }
  void close() noexcept override { closed_.notify_one(); }
  void end() noexcept override {}

 private:
  Notify closed_;
};

class IdleConnectionPool final : public database::ConnectionPool {
 public:
  explicit IdleConnectionPool(database::ConnectionPoolOptions options)
      : ConnectionPool(options, {.module = "test", .label = "server", .lost = "lost", .back = "back"},
                       "a name of a server") {}

  // Returns whether a connection is open, or is being opened.
  [[nodiscard]] bool has_connections() const {
    const database::ConnectionPoolState state = snapshot();
    return state.connections + state.connecting != 0;
  }

 private:
  Task<Opened> open() override {
    co_await yield();
    co_return Opened{std::make_shared<IdleConnection>(), "a longer name of a server"};
  }
  [[nodiscard]] bool is_final(const std::exception& /*error*/) const noexcept override { return false; }
  [[noreturn]] void fail(const std::string& why) const override { throw std::runtime_error(why); }
};

}  // namespace volt::test
