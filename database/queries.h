// SPDX-License-Identifier: MIT

// Queries: the query functions of a Pool and of a Transaction, which derive from it. `Self` has the private functions
// run() and run_all(), and Queries as a friend.
//
// Each function returns a task, which must be awaited in the same expression, because its text is a view. Errors: those
// of the database (pg/queries.h, sqlite/queries.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "database/batch.h"
#include "runtime/task.h"

namespace volt::database {

template <class Self, class Query, class Rows>
class Queries {
 public:
  // Returns all rows, each as a T: an aggregate, or the type of the only column (pg/rows.h, sqlite/rows.h).
  template <class T, class... Args>
  [[nodiscard]] Task<std::vector<T>> query(std::string_view text, const Args&... args) const {
    return all_of<T>(self().run(Query(text, args...)));
  }

  // Returns the first row, or nothing if there is no row.
  template <class T, class... Args>
  [[nodiscard]] Task<std::optional<T>> find(std::string_view text, const Args&... args) const {
    return first_of<T>(self().run(Query(text, args...)));
  }

  // Returns how many rows the statement inserted, updated or deleted.
  template <class... Args>
  Task<std::uint64_t> execute(std::string_view text, const Args&... args) const {
    return affected_by(self().run(Query(text, args...)));
  }

  // Returns the rows without converting them.
  template <class... Args>
  [[nodiscard]] Task<Rows> rows(std::string_view text, const Args&... args) const {
    return self().run(Query(text, args...));
  }

  // Returns the rows of each query, in order. If queries fail, throws the error of the first one after all have
  // completed.
  [[nodiscard]] Task<std::vector<Rows>> send(Batch<Query> batch) const { return self().run_all(std::move(batch)); }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  template <class T>
  static Task<std::vector<T>> all_of(Task<Rows> pending) {
    const Rows rows = co_await std::move(pending);
    co_return rows.template all<T>();
  }
  template <class T>
  static Task<std::optional<T>> first_of(Task<Rows> pending) {
    const Rows rows = co_await std::move(pending);
    co_return rows.template first<T>();
  }
  static Task<std::uint64_t> affected_by(Task<Rows> pending) {
    const Rows rows = co_await std::move(pending);
    co_return rows.affected();
  }
};

}  // namespace volt::database
