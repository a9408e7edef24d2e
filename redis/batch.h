// SPDX-License-Identifier: MIT

// Batch: several commands that are sent together and executed in order, in one round trip instead of many.
//
//   redis::Batch batch;
//   for (const std::string& key : keys) batch.add("HGETALL", key);
//   std::vector<redis::Reply> replies = co_await redis.send(std::move(batch));
//
// Other clients' commands may be executed in between. Pool::transaction() prevents that.
//
// Threads: a value.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/command.h"

namespace volt::redis {

class Batch {
 public:
  template <class... Args>
  void add(std::string_view name, const Args&... args) {
    commands_.emplace_back(name, args...);
  }
  void add(Command command) { commands_.push_back(std::move(command)); }
  [[nodiscard]] const std::vector<Command>& commands() const noexcept { return commands_; }

 private:
  std::vector<Command> commands_;
};

}  // namespace volt::redis
