// SPDX-License-Identifier: MIT

// The exceptions that a query throws.
//
//   Error
//     Unavailable            no connection was available; nothing was sent, so the query may be retried
//     ConnectionLost         the connection ended during a query, which the server may or may not have executed
//     QueryTimeout           PoolOptions::query_timeout passed; the server may or may not have executed the query
//     DecodeError            a row cannot be converted to the requested type
//     ServerError            the server rejected the query; sqlstate() says why
//       UniqueViolation, ForeignKeyViolation, NotNullViolation, CheckViolation
//       SerializationFailure a conflict or a deadlock; the transaction may succeed when it is repeated
//       QueryCanceled        canceled by statement_timeout, or by an administrator
//
//   app.on_error([](const pg::UniqueViolation& error) { return http::conflict(error.constraint()); });
//   app.on_error([](const pg::Unavailable&) { return http::unavailable().retry_after(1s); });
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace volt::pg {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Unavailable : public Error {
 public:
  using Error::Error;
};

class ConnectionLost : public Error {
 public:
  using Error::Error;
};

class QueryTimeout : public Error {
 public:
  using Error::Error;
};

class DecodeError : public Error {
 public:
  using Error::Error;
};

// The fields of an error message of the server. A field that the server did not send is empty.
struct ServerMessage {
  std::string sqlstate;  // code of five characters (PostgreSQL documentation, appendix A)
  std::string text;
  std::string detail;
  std::string hint;
  std::string table;
  std::string column;
  std::string constraint;
};

class ServerError : public Error {
 public:
  explicit ServerError(ServerMessage message) : Error(message.text), message_(std::move(message)) {}

  [[nodiscard]] std::string_view sqlstate() const noexcept { return message_.sqlstate; }
  [[nodiscard]] const std::string& constraint() const noexcept { return message_.constraint; }
  [[nodiscard]] const ServerMessage& message() const noexcept { return message_; }

 private:
  ServerMessage message_;
};

class UniqueViolation : public ServerError {
 public:
  using ServerError::ServerError;
};

class ForeignKeyViolation : public ServerError {
 public:
  using ServerError::ServerError;
};

class NotNullViolation : public ServerError {
 public:
  using ServerError::ServerError;
};

class CheckViolation : public ServerError {
 public:
  using ServerError::ServerError;
};

class SerializationFailure : public ServerError {
 public:
  using ServerError::ServerError;
};

class QueryCanceled : public ServerError {
 public:
  using ServerError::ServerError;
};

// Returns the exception for a message, selected by its sqlstate. The shutdown of the server becomes ConnectionLost.
[[nodiscard]] std::exception_ptr error_for(ServerMessage message);
// Returns a ConnectionLost. If memory lacks for it, returns std::bad_alloc.
[[nodiscard]] std::exception_ptr connection_lost(std::string_view why) noexcept;

}  // namespace volt::pg
