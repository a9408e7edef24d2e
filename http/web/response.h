// What a handler returns. A response of static text and static content type without further headers owns nothing: it
// costs no allocation and no copy of its body.
//
// Threads: a value, used by one thread at a time. Moves, does not copy: its body may be one that is streamed.
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

// Text known when the program was compiled: it may be kept without copying. The consteval constructor is the proof, so
// a view of something shorter-lived does not compile.
class StaticText {
 public:
  consteval StaticText(const char* literal) : text_(literal) {}         // NOLINT: implicit by design
  consteval StaticText(std::string_view constant) : text_(constant) {}  // NOLINT: implicit by design
  constexpr std::string_view view() const noexcept { return text_; }

 private:
  std::string_view text_;
};

// Not an aggregate: g++ 12 destroys aggregate temporaries in a co_await operand twice.
class Response {
 public:
  // Without body or content type. Throws std::invalid_argument for a status outside 100..599.
  explicit Response(Status status = Status::ok);
  Response(Response&& other) noexcept;
  Response& operator=(Response&& other) noexcept;
  ~Response();

  // `text/plain; charset=utf-8`
  static Response text(std::string body, Status status = Status::ok);
  // `text/html; charset=utf-8`
  static Response html(std::string body, Status status = Status::ok);
  // `application/json`
  static Response json(std::string body, Status status = Status::ok);
  // The body is not copied: `Response::fixed("Hello, World!\n")`.
  static Response fixed(StaticText body, StaticText content_type = "text/plain; charset=utf-8",
                        Status status = Status::ok);
  static Response no_content();
  // The reason phrase as text: how refusals and plain errors look. Allocates nothing.
  static Response plain(Status status);
  // A body that is produced while it is sent; http::stream() makes one of a coroutine.
  static Response streamed(std::unique_ptr<StreamBody> body, std::string content_type);
  // 101 Switching Protocols, to a request that asked for it (Request::requests_upgrade).
  static Response upgrade(std::unique_ptr<Upgrade> upgrade);

  Status status() const noexcept { return status_; }
  Response& status(Status status) &;  // throws like the constructor
  Response&& status(Status value) && { return std::move(status(value)); }

  // Valid until the next change of the response. Empty if it is streamed.
  std::string_view body() const noexcept { return owned_body_.empty() ? static_body_ : owned_body_; }
  Response& body(std::string body, StaticText content_type) &;
  Response&& body(std::string text, StaticText content_type) && {
    return std::move(body(std::move(text), content_type));
  }
  // The same body in other bytes; status and fields stay.
  Response& replace_body(std::string body) noexcept;
  Response& replace_body(std::unique_ptr<StreamBody> body) noexcept;

  // Empty: that of a streamed body is not known beforehand.
  [[nodiscard]] std::optional<std::uint64_t> body_size() const noexcept;

  // Null if there is none.
  [[nodiscard]] StreamBody* stream() const noexcept { return stream_.get(); }
  [[nodiscard]] std::unique_ptr<StreamBody> take_stream() noexcept;
  [[nodiscard]] Upgrade* upgrade() const noexcept { return upgrade_.get(); }
  [[nodiscard]] std::string_view upgrade_protocol() const noexcept;  // of an upgrade

  // Empty: none is sent.
  std::string_view content_type() const noexcept {
    return owned_content_type_.empty() ? static_content_type_ : owned_content_type_;
  }

  // Sets a field, replacing those of that name, or adds one beside them. Throws std::invalid_argument for a bad name or
  // value, and for the fields that say where the message ends and the connection's fate, which the server writes:
  // Content-Length, Transfer-Encoding, Connection, Date, Keep-Alive, Upgrade, TE, Trailer.
  Response& header(std::string_view name, std::string_view value) &;
  Response&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }
  Response& add_header(std::string_view name, std::string_view value) &;
  Response&& add_header(std::string_view name, std::string_view value) && { return std::move(add_header(name, value)); }
  // Adds a Set-Cookie field (http/cookies/cookies.h). Throws as SetCookie::to_string() does.
  Response& cookie(const SetCookie& cookie) &;
  Response&& cookie(const SetCookie& cookie) && { return std::move(this->cookie(cookie)); }
  // The first field of that name that was set here. Valid until the next change.
  std::optional<std::string_view> header(std::string_view name) const& noexcept;
  Response& remove_header(std::string_view name);
  // Sets each of them.
  Response& set_headers(const FieldList& fields);
  // Adds what a proxy may pass on of the fields it was answered (RFC 9110 section 7.6.1): not those of the connection,
  // those that Connection names, or Date, which the server writes.
  Response& forward(const Fields& fields) &;
  const FieldList& headers() const noexcept { return fields_; }

  // The connection ends after this answer.
  Response& close() & noexcept {
    close_ = true;
    return *this;
  }
  Response&& close() && noexcept { return std::move(close()); }
  bool closes() const noexcept { return close_; }

 private:
  std::string owned_body_;  // counts if not empty
  std::string_view static_body_;
  std::string owned_content_type_;  // counts if not empty
  std::string_view static_content_type_;
  FieldList fields_;
  std::unique_ptr<StreamBody> stream_;
  std::unique_ptr<Upgrade> upgrade_;
  Status status_;
  bool close_ = false;
};

}  // namespace volt::http
