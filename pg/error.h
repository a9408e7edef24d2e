// What a query throws.
//
//   Error
//     Unavailable            no connection could be had: nothing was sent, so it may be tried again
//     ConnectionLost         it ended while a query was under way, which may or may not have been carried out
//     QueryTimeout           PoolOptions::query_timeout passed; likewise
//     DecodeError            a row is not what it was to become
//     ServerError            the server refused; sqlstate() says why
//       UniqueViolation, ForeignKeyViolation, NotNullViolation, CheckViolation
//       SerializationFailure also a deadlock: the same transaction, begun anew, may succeed
//       QueryCanceled        by statement_timeout, or by an administrator
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

// What the server says of an error; empty where it says nothing.
struct ServerMessage {
  std::string sqlstate;  // five characters: the code of PostgreSQL's appendix A
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

// The exception that stands for a message: one of the above, by its sqlstate. A server that shuts down is a
// ConnectionLost.
[[nodiscard]] std::exception_ptr error_for(ServerMessage message);

}  // namespace volt::pg
