// SPDX-License-Identifier: MIT

// Composes the bytes of a response (RFC 9112 sections 4 and 5). The server, not the handler, decides how the end of the
// message is marked and whether the connection goes on.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message/version.h"
#include "http/web/response.h"

namespace volt::http::server {

// How the end of a response's body is marked (RFC 9112 section 6.3).
enum class BodyFraming : std::uint8_t {
  none,     // there is no body: HEAD, 1xx, 204, 205, 304
  length,   // Content-Length
  chunked,  // Transfer-Encoding
  close,    // the end of the connection: for a client that speaks HTTP/1.0, which has no chunks
};

// The properties of the request and of the connection that the encoded bytes depend on.
struct ResponseEncoderOptions {
  std::string_view date = {};           // the value of the Date field (HttpDate)
  Version version = Version::http_1_1;  // the client's
  bool head_only = false;               // HEAD: the header fields of GET, and no body (RFC 9110 section 9.3.2)
  bool keep_alive = true;               // false: the head announces that the connection is closed
};

BodyFraming body_framing(const Response& response, const ResponseEncoderOptions& encoder_options) noexcept;

// Appends the head and the first `body_bytes_max` bytes of the body to `out`; only the head if the body is streamed.
// Allocates at most once, when `out` grows.
void encode_response(const Response& response, const ResponseEncoderOptions& encoder_options, std::string& out,
                     std::size_t body_bytes_max = std::string_view::npos);

// Returns the body that is sent. It is empty for HEAD, 1xx, 204, 205 and 304: these responses end with their head (RFC
// 9112 section 6.3). Valid until the response changes.
std::string_view response_body(const Response& response, const ResponseEncoderOptions& encoder_options) noexcept;

// Appends the status and the header fields of an interim response (RFC 9110 section 15.2).
void encode_interim(const Response& interim, std::string& out);

// The interim response to `Expect: 100-continue` (RFC 9110 section 15.2.1).
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace volt::http::server
