// SPDX-License-Identifier: MIT

// counting_target: the server behind the proxies of differential.py. Takes the flags of volt::run.
//
// Each answer says what was asked, so that it can be compared with what the proxy sent:
//   X-Seen: ID METHOD BODY_BYTES BODY_CRC32 TARGET    ID: the value of X-Front-Id; `-` if there is not exactly one
// It has no body: an answer begins wherever the bytes of a connection say HTTP/1.1.
#include <config/run.h>
#include <http/server/app.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using volt::http::Request;
using volt::http::Response;

// As zlib and HAProxy compute it: ISO 3309, reflected.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit != 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320U & (~(crc & 1U) + 1U));
  }
  return ~crc;
}

std::string front_id(const Request& request) {
  std::string id;
  for (const std::string_view value : request.headers().all("x-front-id")) {
    if (!id.empty()) return "-";
    id = value;
  }
  return id.empty() || id.find(' ') != std::string::npos ? "-" : id;
}

Response tell_what_was_seen(const Request& request) {
  const std::string_view body = request.body();
  std::string seen = front_id(request);
  seen.append(" ").append(volt::http::to_string(request.method()));
  seen.append(" ").append(std::to_string(body.size()));
  seen.append(" ").append(std::to_string(crc32(body)));
  seen.append(" ").append(request.target());
  Response response = Response::text("");
  response.header("x-seen", seen);
  return response;
}

}  // namespace

int main(int argc, char** argv) {
  volt::http::App app;
  app.fallback(tell_what_was_seen);
  return volt::run(app, argc, argv);
}
