// SPDX-License-Identifier: MIT

// The exceptions that a command throws.
//
//   Error                    also: a command that shared connections do not support; nothing was sent
//     Unavailable            no connection was available; nothing was sent, so the command may be retried
//     ConnectionLost         the connection ended during a command, which the server may or may not have executed
//     CommandTimeout         PoolOptions::command_timeout passed; the server may or may not have executed the command
//     DecodeError            a reply cannot be converted to the requested type
//     ServerError            the server refused the command; code() says why
//
//   app.on_error([](const redis::Unavailable&) { return http::unavailable().retry_after(1s); });
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace volt::redis {

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

class CommandTimeout : public Error {
 public:
  using Error::Error;
};

class DecodeError : public Error {
 public:
  using Error::Error;
};

class ServerError : public Error {
 public:
  // `text` is the server's message, such as "WRONGTYPE Operation against a key holding the wrong kind of value".
  explicit ServerError(const std::string& text) : Error(text), code_(text.substr(0, text.find(' '))) {}

  // Returns the first word of the message: ERR, WRONGTYPE, NOSCRIPT, OOM, READONLY ..
  [[nodiscard]] std::string_view code() const noexcept { return code_; }

 private:
  std::string code_;
};

}  // namespace volt::redis
