// What a handler is given.
//
// Lifetime: every view (target, header values, body) is valid until the handler returns, and not longer: they look into
// the connection's buffer. What outlives the request is copied by the handler.
// Threads: one request is used by one task at a time; const members may be called from several threads.
#pragma once

#include <optional>
#include <string_view>

#include "http/headers.h"
#include "http/message/request_head.h"
#include "http/method.h"
#include "http/version.h"

namespace volt::http {

class Request {
 public:
  // The bytes behind `head` and `body` must outlive the request.
  explicit Request(const message::RequestHead& head, std::string_view body = {}) noexcept : head_(head), body_(body) {}

  Method method() const noexcept { return head_.method; }
  Version version() const noexcept { return head_.version; }

  // As the client wrote it, percent escapes and all: `/a%20b?c=d`, `http://host/a`, `*`.
  std::string_view target() const noexcept { return head_.target; }
  // The path in the target, still escaped; begins with '/', or is `*` (only with OPTIONS).
  std::string_view path() const noexcept { return head_.path; }
  // What follows the first '?', still escaped; empty if there is none.
  std::string_view query() const noexcept { return head_.query; }
  // Whom the client meant to reach, `name` or `name:port`: the Host field, or the authority of an absolute target,
  // which wins (RFC 9112 section 3.2.2). Empty only for an HTTP/1.0 client that named no host.
  std::string_view host() const noexcept { return head_.host; }

  // The first field of that name, case-blind.
  std::optional<std::string_view> header(std::string_view name) const noexcept { return head_.fields.find(name); }
  const Fields& headers() const noexcept { return head_.fields; }

  // The whole body, decoded and bounded by the server's limit; empty if there is none.
  std::string_view body() const noexcept { return body_; }

 private:
  message::RequestHead head_;
  std::string_view body_;
};

}  // namespace volt::http
