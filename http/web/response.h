// SPDX-License-Identifier: MIT

// Response: the HTTP response that a handler returns.
//
// A response with a static text, a static content type and no other header fields owns no memory: it costs no
// allocation and no copy of its body.
//
// Threads: a value, used by one thread at a time. Movable, not copyable, because its body may be a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/headers.h"
#include "http/message/status.h"

namespace volt::http {

class SetCookie;
class StreamBody;
class Upgrade;

// A text that is known at compile time, so it may be kept without a copy. The consteval constructors guarantee the
// lifetime: a view of a text with a shorter lifetime does not compile.
class StaticText {
 public:
  consteval StaticText(const char* literal) : text_(literal) {}         // NOLINT: implicit by design
  consteval StaticText(std::string_view constant) : text_(constant) {}  // NOLINT: implicit by design
  constexpr std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
};

class Response {
 public:
  // A response without body and content type. Throws std::invalid_argument for a status outside 100..599.
  explicit Response(Status status = Status::ok);
  Response(Response&& other) noexcept;
  Response& operator=(Response&& other) noexcept;
  ~Response();

  // A response with content type `text/plain; charset=utf-8`.
  static Response text(std::string body, Status status = Status::ok);
  // A response with content type `text/html; charset=utf-8`.
  static Response html(std::string body, Status status = Status::ok);
  // A response with content type `application/json`; `body` must be JSON.
  static Response json(std::string body, Status status = Status::ok);
  // A response whose static body is not copied: `Response::fixed("Hello, World!\n")`.
  static Response fixed(StaticText body, StaticText content_type = "text/plain; charset=utf-8",
                        Status status = Status::ok);
  static Response no_content();
  // A response whose body is the status's reason phrase as plain text, like the server's own error responses. Does not
  // allocate.
  static Response plain(Status status);
  // A response whose body is produced while it is sent; http::stream() makes one from a coroutine.
  static Response streamed(std::unique_ptr<StreamBody> body, std::string content_type);
  // A 101 Switching Protocols response to a request that requests an upgrade (Request::requests_upgrade).
  static Response upgrade(std::unique_ptr<Upgrade> upgrade);

  Status status() const noexcept { return status_; }
  Response& status(Status status) &;  // Throws std::invalid_argument outside 100..599.
  Response&& status(Status value) && { return std::move(status(value)); }

  // Empty for a streamed body. Valid until the response is changed.
  std::string_view body() const noexcept { return owned_body_.empty() ? static_body_ : owned_body_; }
  Response& body(std::string body, StaticText content_type) &;
  Response&& body(std::string text, StaticText content_type) && {
    return std::move(body(std::move(text), content_type));
  }
  // Replaces the body, for example by a compressed form of it; keeps status, content type and header fields.
  Response& replace_body(std::string body) noexcept;
  Response& replace_body(std::unique_ptr<StreamBody> body) noexcept;

  // Removes the body from the response and returns it. If the body is a StaticText or streamed, changes nothing and
  // returns an empty string.
  [[nodiscard]] std::string release_body() noexcept { return std::exchange(owned_body_, {}); }

  // Size of the body in bytes. Empty for a streamed body of unknown size.
  [[nodiscard]] std::optional<std::uint64_t> body_size() const noexcept;

  // The streamed body. Null if the body is not streamed.
  [[nodiscard]] StreamBody* stream() const noexcept { return stream_.get(); }
  [[nodiscard]] std::unique_ptr<StreamBody> take_stream() noexcept;
  [[nodiscard]] Upgrade* upgrade() const noexcept { return upgrade_.get(); }
  // For middleware that wraps the upgrade of a 101 response: takes it out, and puts the wrapped one in its place.
  [[nodiscard]] std::unique_ptr<Upgrade> take_upgrade() noexcept;
  void replace_upgrade(std::unique_ptr<Upgrade> upgrade) noexcept;
  [[nodiscard]] std::string_view upgrade_protocol() const noexcept;  // Requires upgrade() to be non-null.

  // Empty if no Content-Type field is sent.
  std::string_view content_type() const noexcept {
    return owned_content_type_.empty() ? static_content_type_ : owned_content_type_;
  }

  // Sets a header field and replaces existing fields with this name; add_header() keeps the existing fields. Both throw
  // std::invalid_argument for an invalid name or value, and for the fields that only the server writes, because they
  // delimit the message or control the connection: Content-Length, Transfer-Encoding, Connection, Date, Keep-Alive,
  // Upgrade, TE, Trailer.
  Response& header(std::string_view name, std::string_view value) &;
  Response&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }
  Response& add_header(std::string_view name, std::string_view value) &;
  Response&& add_header(std::string_view name, std::string_view value) && { return std::move(add_header(name, value)); }
  // Adds a Set-Cookie field (http/cookies/cookies.h). Throws like SetCookie::to_string().
  Response& cookie(const SetCookie& cookie) &;
  Response&& cookie(const SetCookie& cookie) && { return std::move(this->cookie(cookie)); }
  // Value of the first field with this name that was set on this response. Valid until the response is changed.
  std::optional<std::string_view> header(std::string_view name) const& noexcept;
  Response& remove_header(std::string_view name);
  // Sets each field of the list.
  Response& set_headers(const FieldList& fields);
  // Adds the fields of an upstream response that a proxy may forward (RFC 9110 section 7.6.1). These are all fields
  // except Date, which the server writes itself, and the connection-specific fields, which include the fields that
  // Connection names.
  Response& forward(const Fields& fields) &;
  const FieldList& headers() const noexcept { return fields_; }

  // Closes the connection after this response.
  Response& close() & noexcept {
    close_ = true;
    return *this;
  }
  Response&& close() && noexcept { return std::move(close()); }
  bool closes() const noexcept { return close_; }

 private:
  std::string owned_body_;  // Used instead of static_body_ if not empty.
  std::string_view static_body_;
  std::string owned_content_type_;  // Used instead of static_content_type_ if not empty.
  std::string_view static_content_type_;
  FieldList fields_;
  std::unique_ptr<StreamBody> stream_;
  std::unique_ptr<Upgrade> upgrade_;
  Status status_;
  bool close_ = false;
};

}  // namespace volt::http
