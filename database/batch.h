// SPDX-License-Identifier: MIT

// Batch: several queries that are sent together and executed in order (pg/batch.h, sqlite/batch.h).
//
// Threads: a value. Lifetime: the texts are views, which must stay valid until the batch was awaited.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::database {

template <class Query>
class Batch {
 public:
  void reserve(std::size_t count) { queries_.reserve(count); }
  template <class... Args>
  void add(std::string_view text, const Args&... args) {
    queries_.emplace_back(text, args...);
  }
  void add(Query query) { queries_.push_back(std::move(query)); }
  [[nodiscard]] const std::vector<Query>& queries() const noexcept { return queries_; }

 private:
  std::vector<Query> queries_;
};

}  // namespace volt::database
