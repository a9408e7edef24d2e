// SPDX-License-Identifier: MIT

// Script: a Lua script that the server executes as one step: no other command is executed in between.
//
//   const redis::Script unlock(R"(
//     if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
//     return 0)");
//   const bool was_mine = (co_await redis.eval(unlock, {"lock"}, token)).to<bool>();
//
// Only the script's digest is sent (EVALSHA). If the server does not know the script, for example after a restart, the
// script itself is sent (EVAL), after which the server knows it.
//
// Threads: a handle to constant text, safe for concurrent use. Make one per script, not one per call.
#pragma once

#include <memory>
#include <string>

namespace volt::redis {

class Script {
 public:
  explicit Script(std::string text);

  [[nodiscard]] const std::string& text() const noexcept { return source_->text; }
  // Returns the SHA-1 digest of the text in hexadecimal, by which the server finds the script.
  [[nodiscard]] const std::string& digest() const noexcept { return source_->digest; }

 private:
  struct Source {
    std::string text;
    std::string digest;
  };
  std::shared_ptr<const Source> source_;
};

}  // namespace volt::redis
