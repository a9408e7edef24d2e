// Db: items in a SQLite database, without blocking a worker: its queries run on the pool for what blocks.
//
// Threads: any; one connection, so one query at a time, in the order in which they came.
// Errors: DbDown from every member, also from the tasks.
#pragma once

#include <runtime/task.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace crud {

using volt::Task;

struct Item {
  std::int64_t id;
  std::string name;
  int price;
};

struct NewItem {
  std::string name;
  int price;
};

// The database cannot be read or written now: locked by another process, a full disk.
class DbDown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Db {
 public:
  // Makes the file, and the table in it, if they are not there yet.
  explicit Db(const std::string& path);
  static Db memory() { return Db(":memory:"); }

  // The first `limit` items behind the one of that id.
  Task<std::vector<Item>> page(int limit, std::int64_t after) const;
  Task<Item> insert(const NewItem& item) const;
  Task<std::optional<Item>> find(std::int64_t id) const;
  // Whether it was there.
  Task<bool> erase(std::int64_t id) const;

 private:
  struct Connection;
  std::shared_ptr<Connection> connection_;
};

}  // namespace crud
