// SPDX-License-Identifier: MIT

#include "http/client/internal/request_encoder.h"

namespace volt::http::client {
namespace {

// Returns whether requests with this method usually have a body. Then an empty body is sent with `Content-Length: 0`
// (RFC 9110 section 8.6).
bool has_content(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch;
}

}  // namespace

std::string encode_head(Method method, const Uri& uri, const FieldList& fields, std::optional<std::uint64_t> body_bytes,
                        std::string_view upgrade) {
  std::string head(to_string(method));
  head += ' ';
  head += uri.target;
  head += " HTTP/1.1\r\n";
  if (!fields.find("host")) {
    head += "Host: ";
    head += uri.authority;
    head += "\r\n";
  }
  head += fields.lines();
  if (!upgrade.empty()) {
    head += "Connection: Upgrade\r\nUpgrade: ";
    head += upgrade;
    head += "\r\n";
  }
  if (!body_bytes) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (*body_bytes != 0 || has_content(method)) {
    head += "Content-Length: ";
    head += std::to_string(*body_bytes);
    head += "\r\n";
  }
  head += "\r\n";
  return head;
}

}  // namespace volt::http::client
