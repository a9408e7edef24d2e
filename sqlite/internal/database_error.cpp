// SPDX-License-Identifier: MIT

#include "sqlite/internal/database_error.h"

#include <sqlite3.h>

#include <new>
#include <string>
#include <utility>

#include "runtime/cancel.h"

namespace volt::sqlite::internal {
namespace {

// "UNIQUE constraint failed: item.name" names "item.name".
std::string constraint_of(std::string_view text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string_view::npos ? std::string() : std::string(text.substr(colon + 2));
}

[[noreturn]] void throw_violation(DatabaseMessage message) {
  message.constraint = constraint_of(message.text);
  switch (message.code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      throw UniqueViolation(std::move(message));
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      throw ForeignKeyViolation(std::move(message));
    case SQLITE_CONSTRAINT_NOTNULL:
      throw NotNullViolation(std::move(message));
    case SQLITE_CONSTRAINT_CHECK:
      throw CheckViolation(std::move(message));
    default:
      throw DatabaseError(std::move(message));
  }
}

}  // namespace

void throw_database_error(DatabaseMessage message) {
  switch (message.code & 0xff) {  // the primary result code
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw Busy("another process kept the database locked: " + message.text);
    case SQLITE_CANTOPEN:
      throw Unavailable(message.text);
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw StorageError(std::move(message));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw Corrupt(std::move(message));
    case SQLITE_CONSTRAINT:
      throw_violation(std::move(message));
    default:
      throw DatabaseError(std::move(message));
  }
}

void throw_stopped(bool by_cancel) {
  if (by_cancel) throw Cancelled{};
  throw QueryTimeout("the query took longer than its limit, and was interrupted");
}

void throw_with_file(std::string_view path) {
  const auto with_file = [path](std::string_view text) { return std::string(path).append(": ").append(text); };
  const auto message_with_file = [&](const DatabaseError& error) {
    DatabaseMessage message = error.message();
    message.text = with_file(message.text);
    return message;
  };
  try {
    throw;
  } catch (const Busy& error) {
    throw Busy(with_file(error.what()));
  } catch (const Unavailable& error) {
    throw Unavailable(with_file(error.what()));
  } catch (const StorageError& error) {
    throw StorageError(message_with_file(error));
  } catch (const Corrupt& error) {
    throw Corrupt(message_with_file(error));
  } catch (const DatabaseError& error) {
    throw DatabaseError(message_with_file(error));
  } catch (const Error& error) {
    throw Error(with_file(error.what()));
  }
}

}  // namespace volt::sqlite::internal
