#include "http/client/request_encoder.h"

#include <algorithm>
#include <array>

#include "http/message/ascii.h"

namespace volt::http::client {
namespace {

// Whether a body is expected, so that its absence is said (RFC 9110 section 8.6).
bool has_content(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch;
}

}  // namespace

std::string encode_head(Method method, const Uri& uri, const FieldList& fields,
                        std::optional<std::uint64_t> body_bytes) {
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

bool is_connection_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 10> kNames = {
      "connection", "content-length",    "expect",  "keep-alive", "proxy-authorization", "proxy-connection",
      "te",         "transfer-encoding", "trailer", "upgrade",
  };
  return std::ranges::any_of(kNames, [&](std::string_view own) { return message::equal_ignoring_case(name, own); });
}

}  // namespace volt::http::client
