// Queries: what a Pool and a Transaction can be asked.
//
// Each is a task, to be awaited where it is made: its text is a view. Errors: pg/error.h; of parameters, at the call.
// Cancelled, or out of time, a query is given up: its answer is dropped when it comes, and if that takes long the server is
// told to stop it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "pg/batch.h"
#include "pg/query.h"
#include "pg/rows.h"
#include "runtime/task.h"

namespace volt::pg {

template <class Self>
class Queries {
 public:
  // All rows, each as a T: an aggregate, or the type of the only column (pg/rows.h).
  template <class T, class... Args>
  [[nodiscard]] Task<std::vector<T>> query(std::string_view text, const Args&... args) const {
    return all_of<T>(self().run(Query(text, args...)));
  }

  // The first row, if there is one.
  template <class T, class... Args>
  [[nodiscard]] Task<std::optional<T>> find(std::string_view text, const Args&... args) const {
    return first_of<T>(self().run(Query(text, args...)));
  }

  // How many rows it inserted, updated or deleted.
  template <class... Args>
  Task<std::uint64_t> execute(std::string_view text, const Args&... args) const {
    return affected_by(self().run(Query(text, args...)));
  }

  // The rows as they came.
  template <class... Args>
  [[nodiscard]] Task<Rows> rows(std::string_view text, const Args&... args) const {
    return self().run(Query(text, args...));
  }

  // Those of each, in order. When all are answered, the error of the first that failed is thrown.
  [[nodiscard]] Task<std::vector<Rows>> send(Batch batch) const { return self().run_all(std::move(batch)); }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  template <class T>
  static Task<std::vector<T>> all_of(Task<Rows> asked) {
    const Rows rows = co_await std::move(asked);
    co_return rows.all<T>();
  }
  template <class T>
  static Task<std::optional<T>> first_of(Task<Rows> asked) {
    const Rows rows = co_await std::move(asked);
    co_return rows.first<T>();
  }
  static Task<std::uint64_t> affected_by(Task<Rows> asked) {
    const Rows rows = co_await std::move(asked);
    co_return rows.affected();
  }
};

}  // namespace volt::pg
