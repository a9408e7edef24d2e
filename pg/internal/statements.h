// Statements: what one connection has prepared, by text and parameter types.
//
// Threads: those of its connection, under the lock of that. Memory: `max` texts.
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
  bool binary = false;  // its columns are of types that are read in binary
  // Why the server did not take it: those meet it, too, that were sent before that was known. (No exception: tasks would
  // share one.)
  std::optional<ServerMessage> failure;
};

class Statements {
 public:
  explicit Statements(std::size_t max) noexcept : max_(max) {}

  struct Found {
    std::shared_ptr<Statement> statement;  // null: there is no room, it is not to be prepared
    bool fresh = false;                    // it is to be prepared now
  };
  [[nodiscard]] Found find(const Query& query);
  // The server does not know it, or not any more: the next one is prepared anew.
  void forget(const Statement& statement);

  // Of the query that was looked for last: its text, ended by a zero, and its parameters' types.
  [[nodiscard]] const char* text() const noexcept { return key_.c_str(); }
  [[nodiscard]] const std::vector<unsigned>& types() const noexcept { return types_; }

 private:
  const std::size_t max_;
  std::uint64_t names_ = 0;
  std::string key_;  // the text, a zero, the types
  std::vector<unsigned> types_;
  std::unordered_map<std::string, std::shared_ptr<Statement>> statements_;
};

}  // namespace volt::pg::internal
