// SPDX-License-Identifier: MIT

// Statements: the prepared statements of one connection, by text and parameter types.
//
// Threads: one at a time, under the lock of its Connection. Memory: up to `max` texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pg/error.h"
#include "pg/query.h"

namespace volt::pg::internal {

struct Statement {
  std::string name;
  bool binary = false;  // whether pg/decode.cpp reads the types of all its columns in binary
  // The error of the preparation, which also applies to queries that were sent before it was known. Rejected: storing
  // an exception, which several tasks would share.
  std::optional<ServerMessage> failure;
};

class Statements {
 public:
  explicit Statements(std::size_t max) noexcept : max_(max) {}

  struct Found {
    std::shared_ptr<Statement> statement;  // null if there is no room: do not prepare the query
    bool fresh = false;                    // whether the statement must be prepared now
  };
  // Returns the statement for `query`; adds one if there is none and there is room.
  [[nodiscard]] Found find(const Query& query);
  // Removes a statement that the server does not know, so that its next use prepares it again.
  void forget(const Statement& statement);

  // The zero-terminated text of the query of the last find(), and the types of its parameters.
  [[nodiscard]] const char* text() const noexcept { return key_.c_str(); }
  [[nodiscard]] const std::vector<unsigned>& types() const noexcept { return types_; }

 private:
  const std::size_t max_;
  std::uint64_t names_ = 0;
  std::string key_;  // text, a zero byte, and types of the query of the last find()
  std::vector<unsigned> types_;
  std::unordered_map<std::string, std::shared_ptr<Statement>> statements_;
};

}  // namespace volt::pg::internal
