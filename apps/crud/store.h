// Store: where items are kept. sqlite_store.h and postgres_store.h; the service does not know which it has.
//
// Threads: any. Lifetime: a task ends before its store does.
// Errors: StoreUnavailable from every task.
#pragma once

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

// Which items, and how many of them. Items that are equal in what they are sorted by come by their ids.
struct Selection {
  Sort sort = Sort::id;
  Order order = Order::asc;
  std::optional<Item> after;  // those that follow it; it need not be there any more
  std::string name;           // those whose name holds it, whatever the case of ASCII letters
  int price_max = std::numeric_limits<int>::max();
  int limit = 20;
};

enum class Refusal : std::uint8_t {
  missing,     // there is no item of that id
  stale,       // it has another version
  name_taken,  // by another item
};

// The store cannot be used now: locked by another process, a full disk.
class StoreUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Task<std::vector<Item>> select(Selection selection) = 0;
  virtual Task<std::optional<Item>> find(std::int64_t id) = 0;
  virtual Task<std::expected<Item, Refusal>> insert(NewItem item) = 0;
  // Those of that version only, unless none is named.
  virtual Task<std::expected<Item, Refusal>> replace(std::int64_t id, std::optional<std::int64_t> version,
                                                     NewItem item) = 0;
  virtual Task<std::expected<void, Refusal>> erase(std::int64_t id, std::optional<std::int64_t> version) = 0;
};

}  // namespace crud
