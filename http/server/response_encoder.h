// Composes an answer's bytes (RFC 9112 sections 4 and 5). The server, not the handler, says where the message ends and
// whether the connection goes on.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message/version.h"
#include "http/web/response.h"

namespace volt::http::server {

// How the end of an answer's body is told (RFC 9112 section 6.3).
enum class BodyFraming : std::uint8_t {
  none,     // there is no body: HEAD, 1xx, 204, 205, 304
  length,   // Content-Length
  chunked,  // Transfer-Encoding
  close,    // of the connection: to a client of HTTP/1.0, who knows no chunks
};

// What the request and the connection contribute to the answer.
struct ResponseEncoderOptions {
  std::string_view date = {};           // see HttpDate
  Version version = Version::http_1_1;  // the client's
  bool head_only = false;               // HEAD: the header fields of GET, and no body (RFC 9110 section 9.3.2)
  bool keep_alive = true;               // the connection goes on; false says so to the client
};

BodyFraming body_framing(const Response& response, const ResponseEncoderOptions& encoder_options) noexcept;

// Appends head and body to `out`, of a body that is streamed the head only: one reservation, no other allocation.
void encode_response(const Response& response, const ResponseEncoderOptions& encoder_options, std::string& out);

// The body that goes on the wire: none to HEAD, nor for 1xx, 204, 205 and 304, which end with their head (RFC 9112
// section 6.3). Valid until the response changes.
std::string_view response_body(const Response& response, const ResponseEncoderOptions& encoder_options) noexcept;

// The interim answer to `Expect: 100-continue` (RFC 9110 section 15.2.1).
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace volt::http::server
