// SPDX-License-Identifier: MIT

// Store: the database interface of the service, implemented by sqlite_store.h and postgres_store.h.
//
// Threads: any. Lifetime: every task must end before its store is destroyed.
// Errors: every task may throw StoreUnavailable, and other exceptions for mistakes in a query or in the schema.
#pragma once

#include <runtime/metric_sink.h>
#include <runtime/task.h>

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/crud/item.h"

namespace crud {

using volt::Task;

enum class Sort : std::uint8_t { id, name, price };
enum class Order : std::uint8_t { asc, desc };

// Selects items. Items that compare equal by `sort` are sorted by id.
struct Selection {
  Sort sort = Sort::id;
  Order order = Order::asc;
  std::optional<Item> after;  // only items after this one, which may have been deleted
  std::string name;           // only items whose name contains this text; ASCII letters match case-insensitively
  int price_max = std::numeric_limits<int>::max();
  int limit = 20;  // maximum number of items
};

enum class Refusal : std::uint8_t {
  missing,     // no item has the id
  stale,       // the item has another version
  name_taken,  // another item has the name
};

// The store cannot be used at the moment, for example because another process has locked it or the disk is full. The
// same query may succeed later.
class StoreUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Store {
 public:
  virtual ~Store() = default;

  // Creates the table if it does not exist. Called before the server listens.
  virtual Task<> make_table() = 0;
  virtual Task<std::vector<Item>> select(Selection selection) = 0;
  virtual Task<std::optional<Item>> find(std::int64_t id) = 0;
  virtual Task<std::expected<Item, Refusal>> insert(NewItem item) = 0;
  // replace() and erase() apply only if the item has this version; an empty `version` matches any.
  virtual Task<std::expected<Item, Refusal>> replace(std::int64_t id, std::optional<std::int64_t> version,
                                                     NewItem item) = 0;
  virtual Task<std::expected<void, Refusal>> erase(std::int64_t id, std::optional<std::int64_t> version) = 0;
  // For /metrics: the figures of the connection pool.
  virtual void report_metrics(volt::MetricSink& sink) const = 0;
};

}  // namespace crud
