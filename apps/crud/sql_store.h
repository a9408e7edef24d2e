// SPDX-License-Identifier: MIT

// SqlStore: the store in a SQL database, in the table `items`. SQLite and PostgreSQL have these statements in common.
//
// `Database` has what differs:
//
//   using Pool = ..;  using Error = ..;  using UniqueViolation = ..;
//   static constexpr SelectParts kSelect{..};
//   static Task<> make_table(Pool pool);                       // if it does not exist
//   static constexpr bool kMakesTableAtFirstQuery = ..;        // instead of before the server listens
//   static bool is_unstorable(std::string_view text);          // no item contains the text
//   static bool is_unstorable(const Error& error);             // the database says so
//   static bool is_temporary(const Error& error);              // the query may succeed later
#pragma once

#include <runtime/once_cell.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/crud/select_sql.h"
#include "apps/crud/store.h"

namespace crud {

// Throws StoreUnavailable if the query may succeed later. Otherwise rethrows the error, which is logged and becomes a
// 500: for example, a missing table does not appear if the client tries again later. Must be called in the catch clause
// that caught `error`.
template <class Database>
[[noreturn]] void fail(const typename Database::Error& error) {
  if (!Database::is_temporary(error)) throw;
  throw StoreUnavailable(error.what());
}

template <class Database>
class SqlStore final : public Store {
 public:
  using Pool = typename Database::Pool;
  using Error = typename Database::Error;
  using UniqueViolation = typename Database::UniqueViolation;

  explicit SqlStore(Pool pool) : pool_(std::move(pool)) {}

  Task<> make_table() override {
    if (!Database::kMakesTableAtFirstQuery) co_await Database::make_table(pool_);
  }

  Task<std::vector<Item>> select(Selection selection) override {
    if (Database::is_unstorable(selection.name)) co_return std::vector<Item>();
    try {
      co_await prepare();
      const std::string sql = select_sql(selection, Database::kSelect);
      co_return co_await ask(sql, selection);
    } catch (const Error& error) {
      if (Database::is_unstorable(error)) co_return std::vector<Item>();
      fail<Database>(error);
    }
  }

  Task<std::optional<Item>> find(std::int64_t id) override {
    try {
      co_await prepare();
      co_return co_await pool_.template find<Item>(kFind, id);
    } catch (const Error& error) {
      fail<Database>(error);
    }
  }

  Task<std::expected<Item, Refusal>> insert(NewItem item) override {
    try {
      co_await prepare();
      auto made = co_await pool_.template find<Item>(kInsert, *item.name, *item.price);
      co_return *std::move(made);  // `returning` always returns the inserted row
    } catch (const UniqueViolation&) {
      co_return std::unexpected(Refusal::name_taken);
    } catch (const Error& error) {
      fail<Database>(error);
    }
  }

  Task<std::expected<Item, Refusal>> replace(std::int64_t id, std::optional<std::int64_t> version,
                                             NewItem item) override {
    try {
      co_await prepare();
      auto changed = co_await pool_.template find<Item>(kReplace, *item.name, *item.price, id, version);
      if (changed) co_return *std::move(changed);
    } catch (const UniqueViolation&) {
      co_return std::unexpected(Refusal::name_taken);
    } catch (const Error& error) {
      fail<Database>(error);
    }
    co_return std::unexpected(co_await why_not(id));
  }

  Task<std::expected<void, Refusal>> erase(std::int64_t id, std::optional<std::int64_t> version) override {
    try {
      co_await prepare();
      const std::uint64_t erased = co_await pool_.execute(kErase, id, version);
      if (erased != 0) co_return std::expected<void, Refusal>();
    } catch (const Error& error) {
      fail<Database>(error);
    }
    co_return std::unexpected(co_await why_not(id));
  }

  void report_metrics(volt::MetricSink& sink) const override { pool_.report_metrics(sink); }

 private:
  // In these statements, a null version matches any version.
  static constexpr std::string_view kFind = "select id, name, price, version from items where id = $1";
  static constexpr std::string_view kInsert =
      "insert into items (name, price) values ($1, $2) returning id, name, price, version";
  static constexpr std::string_view kReplace =
      "update items set name = $1, price = $2, version = version + 1 "
      "where id = $3 and version = coalesce($4, version) returning id, name, price, version";
  static constexpr std::string_view kErase = "delete from items where id = $1 and version = coalesce($2, version)";

  // Creates the table if it has to be created now. After a failure, the next call tries again.
  Task<> prepare() {
    if (!Database::kMakesTableAtFirstQuery) co_return;
    co_await ready_.get_or_init([this] { return make_table_once(); });
  }
  Task<std::monostate> make_table_once() {
    co_await Database::make_table(pool_);
    co_return std::monostate();
  }

  Task<std::vector<Item>> ask(std::string_view sql, const Selection& wanted) {
    if (!wanted.after) return pool_.template query<Item>(sql, wanted.name, wanted.price_max, wanted.limit);
    const Item& last = *wanted.after;
    switch (wanted.sort) {
      case Sort::id:
        return pool_.template query<Item>(sql, wanted.name, wanted.price_max, wanted.limit, last.id, last.id);
      case Sort::name:
        return pool_.template query<Item>(sql, wanted.name, wanted.price_max, wanted.limit, last.name, last.id);
      case Sort::price:
        return pool_.template query<Item>(sql, wanted.name, wanted.price_max, wanted.limit, last.price, last.id);
    }
    std::unreachable();
  }

  // Returns why a change did not apply. Looks at the current state: the item may have been deleted since.
  Task<Refusal> why_not(std::int64_t id) {
    const auto item = co_await find(id);
    co_return item ? Refusal::stale : Refusal::missing;
  }

  const Pool pool_;
  volt::OnceCell<std::monostate> ready_;
};

}  // namespace crud
