// SPDX-License-Identifier: MIT

// The exceptions that a query throws.
//
//   Error
//     Unavailable            no connection was free in time, or the file cannot be opened; nothing was executed
//       Busy                 another process, or another pool, kept the file locked for PoolOptions::busy_timeout
//     QueryTimeout           PoolOptions::query_timeout passed; the query was interrupted and has changed nothing
//     DecodeError            a row cannot be converted to the requested type
//     DatabaseError          SQLite rejected the query; code() says why
//       UniqueViolation, ForeignKeyViolation, NotNullViolation, CheckViolation
//       StorageError         the disk is full or fails, or the file may not be written
//       Corrupt              the file is damaged, or is not a database
//
//   app.on_error([](const sqlite::UniqueViolation& error) { return http::conflict(error.constraint()); });
//   app.on_error([](const sqlite::Unavailable&) { return http::unavailable().retry_after(1s); });
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace volt::sqlite {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Unavailable : public Error {
 public:
  using Error::Error;
};

class Busy : public Unavailable {
 public:
  using Unavailable::Unavailable;
};

class QueryTimeout : public Error {
 public:
  using Error::Error;
};

class DecodeError : public Error {
 public:
  using Error::Error;
};

// An error that SQLite reported.
struct DatabaseMessage {
  int code = 0;  // extended result code (https://sqlite.org/rescode.html)
  std::string text = {};
  std::string constraint = {};  // of a violation: its columns or its name, such as "item.name"; empty if unknown
};

class DatabaseError : public Error {
 public:
  explicit DatabaseError(DatabaseMessage message) : Error(message.text), message_(std::move(message)) {}

  [[nodiscard]] int code() const noexcept { return message_.code; }
  [[nodiscard]] const std::string& constraint() const noexcept { return message_.constraint; }
  [[nodiscard]] const DatabaseMessage& message() const noexcept { return message_; }

 private:
  DatabaseMessage message_;
};

class UniqueViolation : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

class ForeignKeyViolation : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

class NotNullViolation : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

class CheckViolation : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

class StorageError : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

class Corrupt : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

}  // namespace volt::sqlite
