// SPDX-License-Identifier: MIT

#include "sqlite/internal/connection.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <thread>
#include <utility>
#include <variant>

#include "runtime/cancel.h"
#include "sqlite/error.h"
#include "sqlite/internal/database_error.h"

namespace volt::sqlite::internal {
namespace {

constexpr int kStepsBetweenChecks = 1000;  // virtual machine instructions: some ten microseconds
constexpr auto kBusyWaitMax = std::chrono::milliseconds(20);

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n;") == std::string_view::npos; }

// Returns the index of the value for placeholder `number` (from 1) of the statement.
std::size_t value_of(sqlite3_stmt* statement, int number) {
  const char* name = sqlite3_bind_parameter_name(statement, number);
  if (name == nullptr || name[0] == '?') return static_cast<std::size_t>(number) - 1;
  const std::string_view digits(name + 1);
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (name[0] != '$' || error != std::errc() || end != digits.data() + digits.size() || value == 0) {
    throw Error("the placeholder " + std::string(name) + " has a name: use $1, $2 .. in the order of the values");
  }
  return value - 1;
}

class Binder {
 public:
  Binder(sqlite3_stmt* statement, int number) noexcept : statement_(statement), number_(number) {}

  int operator()(std::monostate) const { return sqlite3_bind_null(statement_, number_); }
  int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement_, number_, value); }
  int operator()(double value) const { return sqlite3_bind_double(statement_, number_, value); }
  int operator()(const std::string& text) const {
    return sqlite3_bind_text64(statement_, number_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  int operator()(const std::vector<std::byte>& bytes) const {
    if (bytes.empty()) return sqlite3_bind_zeroblob(statement_, number_, 0);  // a null pointer would be NULL
    return sqlite3_bind_blob64(statement_, number_, bytes.data(), bytes.size(), SQLITE_STATIC);
  }

 private:
  sqlite3_stmt* statement_;
  int number_;
};

}  // namespace

// Copies the rows of a statement.
class RowReader {
 public:
  explicit RowReader(sqlite3_stmt* statement) noexcept : statement_(statement) {}

  // Reads the names of the columns.
  void begin() {
    const int columns = sqlite3_column_count(statement_);
    for (int i = 0; i != columns; ++i) rows_.columns_.emplace_back(sqlite3_column_name(statement_, i));
  }
  // Appends the current row.
  void add() {
    const int columns = static_cast<int>(rows_.columns_.size());
    for (int i = 0; i != columns; ++i) add_column(i);
  }
  Rows finish(std::uint64_t affected) && {
    rows_.affected_ = affected;
    return std::move(rows_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

 private:
  void add_column(int column) {
    Rows::Value& value = rows_.values_.emplace_back();
    switch (sqlite3_column_type(statement_, column)) {
      case SQLITE_INTEGER:
        value.type = Type::integer;
        value.integer = sqlite3_column_int64(statement_, column);
        break;
      case SQLITE_FLOAT:
        value.type = Type::real;
        value.real = sqlite3_column_double(statement_, column);
        break;
      case SQLITE_TEXT:
        value.type = Type::text;
        add_bytes(value, sqlite3_column_text(statement_, column), column);
        break;
      case SQLITE_BLOB:
        value.type = Type::blob;
        add_bytes(value, sqlite3_column_blob(statement_, column), column);
        break;
      default:
        break;
    }
  }

  void add_bytes(Rows::Value& value, const void* data, int column) {
    value.size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    if (data == nullptr && value.size != 0) throw std::bad_alloc();
    value.offset = rows_.bytes_.size();
    const auto* begin = static_cast<const char*>(data);
    if (data != nullptr) rows_.bytes_.insert(rows_.bytes_.end(), begin, begin + value.size);
  }

  sqlite3_stmt* statement_;
  Rows rows_;
};

// Makes a statement ready for its next use when it is destroyed.
class Connection::Using {
 public:
  explicit Using(sqlite3_stmt* statement) noexcept : statement_(statement) {}
  ~Using() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  sqlite3_stmt* statement_;
};

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
void Connection::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }

Connection::Connection(const PoolOptions& options, Role role, CallLimits& limits)
    : role_(role), limits_(limits), statements_max_(options.statements_max), busy_timeout_(options.busy_timeout) {
  sqlite3* opened = nullptr;
  const int create = role == Role::writer ? SQLITE_OPEN_CREATE : 0;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | create;
  const int status = sqlite3_open_v2(options.path.c_str(), &opened, flags, nullptr);
  database_.reset(opened);  // also after a failure, when it has the error message
  try {
    check(status);
    set_up(options);
  } catch (const Error&) {
    throw_with_file(options.path);
  }
}

Connection::~Connection() { statements_.clear(); }

void Connection::set_up(const PoolOptions& options) {
  sqlite3_extended_result_codes(database_.get(), 1);
  sqlite3_busy_handler(database_.get(), &Connection::on_busy, this);
  sqlite3_progress_handler(database_.get(), kStepsBetweenChecks, &Connection::on_progress, this);
  script(options.foreign_keys ? "pragma foreign_keys = on" : "pragma foreign_keys = off");
  if (role_ == Role::reader) {
    script("pragma query_only = on");
    return;
  }
  use_wal();
  script(options.synchronous == Synchronous::full ? "pragma synchronous = full" : "pragma synchronous = normal");
}

// Switches the file to WAL mode; a database in memory keeps its own mode. SQLite does not wait for other processes
// here: two that start together may be in each other's way.
void Connection::use_wal() {
  const auto until = CallLimits::Clock::now() + busy_timeout_;
  for (;;) {
    try {
      return script("pragma journal_mode = wal");
    } catch (const Busy&) {
      if (CallLimits::Clock::now() >= until) throw;
    }
    std::this_thread::sleep_for(kBusyWaitMax);
  }
}

// --- limits ----------------------------------------------------------------------------------------------------------

int Connection::on_progress(void* self) noexcept { return static_cast<Connection*>(self)->limits_.reached() ? 1 : 0; }

// Called while a lock of another connection is in the way; returns 0 to give up. The thread sleeps, because SQLite
// cannot say when the lock is free.
int Connection::on_busy(void* self, int times) noexcept {
  auto& connection = *static_cast<Connection*>(self);
  const auto now = CallLimits::Clock::now();
  if (times == 0) connection.busy_until_ = std::min(now + connection.busy_timeout_, connection.limits_.deadline());
  if (now >= connection.busy_until_ || connection.limits_.reached()) return 0;
  const auto wait = std::min<std::chrono::milliseconds>(std::chrono::milliseconds(1 + times), kBusyWaitMax);
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(wait, connection.busy_until_ - now));
  return 1;
}

// --- statements ------------------------------------------------------------------------------------------------------

Statement Connection::prepare(std::string_view text, bool keep, std::string_view& rest) const {
  if (text.size() > std::numeric_limits<int>::max()) throw Error("the text of a query exceeds 2 GiB");
  sqlite3_stmt* handle = nullptr;
  const char* end = nullptr;
  const unsigned flags = keep ? SQLITE_PREPARE_PERSISTENT : 0;
  check(sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()), flags, &handle, &end));
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  Statement statement;
  statement.handle.reset(handle);
  return statement;
}

Statement& Connection::statement_for(std::string_view text, Statement& temporary) {
  const auto found = statements_.find(text);
  if (found != statements_.end()) return found->second;
  const bool keep = statements_.size() < statements_max_;
  std::string_view rest;
  temporary = prepare(text, keep, rest);
  if (temporary.handle == nullptr) throw Error("a query without a statement");
  if (!is_blank(rest)) throw Error("a query has more than one statement: send each alone, or use script()");
  const int placeholders = sqlite3_bind_parameter_count(temporary.handle.get());
  for (int number = 1; number <= placeholders; ++number) {
    const std::size_t value = value_of(temporary.handle.get(), number);
    temporary.values.push_back(value);
    temporary.values_count = std::max(temporary.values_count, value + 1);
  }
  return keep ? statements_.emplace(text, std::move(temporary)).first->second : temporary;
}

std::vector<Outcome> Connection::run_all(std::span<const Query> queries, Access access) {
  if (access == Access::read) {
    for (const Query& query : queries) {
      Statement temporary;
      const Statement& statement = statement_for(query.text, temporary);
      if (sqlite3_stmt_readonly(statement.handle.get()) == 0) throw NeedsWriter();
    }
  }
  const bool pinned = in_transaction();
  std::vector<Outcome> outcomes;
  outcomes.reserve(queries.size());
  for (const Query& query : queries) {
    Outcome& outcome = outcomes.emplace_back();
    try {
      // Without this check, the rest of the batch would be committed although its transaction was rolled back.
      if (pinned && !in_transaction()) throw Error("the transaction has ended: an earlier query of the batch ended it");
      outcome.rows = run(query);
      if (!pinned && in_transaction()) {
        roll_back();
        throw Error("a query began a transaction: use Pool::transaction() for it");
      }
    } catch (...) {  // decided: the task that awaits the query gets it
      outcome.error = std::current_exception();
    }
  }
  return outcomes;
}

Rows Connection::run(const Query& query) {
  if (limits_.reached()) throw_stopped(limits_.interrupted());
  Statement temporary;
  const Statement& statement = statement_for(query.text, temporary);
  const std::span<const Parameter> values = query.parameters.all();
  if (values.size() != statement.values_count) {
    throw Error("a query has " + std::to_string(statement.values_count) + " placeholders, but " +
                std::to_string(values.size()) + " values were passed");
  }
  const Using use(statement.handle.get());
  for (std::size_t i = 0; i != statement.values.size(); ++i) {
    const Binder bind(statement.handle.get(), static_cast<int>(i) + 1);
    check(std::visit(bind, values[statement.values[i]]));
  }
  return step_to_end(statement.handle.get());
}

Rows Connection::step_to_end(sqlite3_stmt* statement) {
  const auto changes_before = sqlite3_total_changes64(database_.get());
  RowReader reader(statement);
  int status = sqlite3_step(statement);
  reader.begin();  // now: the first step prepares the statement again if the schema has changed
  for (; status == SQLITE_ROW; status = sqlite3_step(statement)) reader.add();
  if (status != SQLITE_DONE) fail();
  if (sqlite3_stmt_readonly(statement) != 0) {
    const std::size_t rows = reader.size();
    return std::move(reader).finish(rows);
  }
  const bool changed = sqlite3_total_changes64(database_.get()) != changes_before;
  const auto changes = changed ? sqlite3_changes64(database_.get()) : 0;
  return std::move(reader).finish(static_cast<std::uint64_t>(changes));
}

void Connection::script(std::string_view statements) {
  const bool pinned = in_transaction();
  while (!is_blank(statements)) {
    if (limits_.reached()) throw_stopped(limits_.interrupted());
    const Statement statement = prepare(statements, false, statements);
    if (statement.handle == nullptr) continue;  // a comment
    static_cast<void>(step_to_end(statement.handle.get()));
    if (pinned && !in_transaction() && !is_blank(statements)) throw Error("a statement ended the transaction");
  }
}

// --- transactions, errors --------------------------------------------------------------------------------------------

bool Connection::in_transaction() const noexcept { return sqlite3_get_autocommit(database_.get()) == 0; }

void Connection::roll_back() noexcept {
  if (!in_transaction()) return;
  const CallLimits::Lifted lifted(limits_);
  const int status = sqlite3_exec(database_.get(), "rollback", nullptr, nullptr, nullptr);
  if (status != SQLITE_OK && in_transaction()) broken_ = true;
}

void Connection::check(int status) const {
  if (status != SQLITE_OK) fail();
}

void Connection::fail() const {
  DatabaseMessage message{.code = sqlite3_extended_errcode(database_.get()), .text = sqlite3_errmsg(database_.get())};
  const int primary = message.code & 0xff;
  broken_ = broken_ || primary == SQLITE_IOERR || primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
  if ((primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY) && limits_.reached()) {
    throw_stopped(limits_.interrupted());
  }
  throw_database_error(std::move(message));
}

}  // namespace volt::sqlite::internal
