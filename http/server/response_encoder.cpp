// SPDX-License-Identifier: MIT

#include "http/server/response_encoder.h"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

#include "http/message/status.h"

namespace volt::http::server {
namespace {

// Returns whether the head has Content-Type and Content-Length or Transfer-Encoding. 1xx and 204 must not have
// Content-Length (RFC 9110 section 8.6). A 304 could only repeat the fields of a 200, which are not known here.
bool describes_content(Status status) noexcept {
  return code(status) >= 200 && status != Status::no_content && status != Status::not_modified;
}

bool has_content(Status status) noexcept { return describes_content(status) && status != Status::reset_content; }

std::optional<std::uint64_t> content_size(const Response& response) noexcept {
  return has_content(response.status()) ? response.body_size() : 0;
}

std::string_view connection_line(const ResponseEncoderOptions& encoder_options, bool endless) noexcept {
  if (!encoder_options.keep_alive || (endless && encoder_options.version == Version::http_1_0))
    return "Connection: close\r\n";
  if (encoder_options.version == Version::http_1_0) return "Connection: keep-alive\r\n";  // HTTP/1.0 closes by default
  return {};
}

// No head has more bytes of fixed text and digits than this: it leaves out the reason phrase, the date and what the
// response itself holds.
constexpr std::size_t kFixedBytesMax = 160;

// Writes pieces of text one after another into a buffer that has room for them all.
class TextWriter {
 public:
  explicit TextWriter(char* to) noexcept : to_(to) {}

  void add(std::string_view piece) noexcept {
    if (piece.empty()) return;  // memcpy from nullptr is undefined, even of no bytes
    std::memcpy(to_, piece.data(), piece.size());
    to_ += piece.size();
  }
  void add(std::uint64_t number) noexcept {
    constexpr std::ptrdiff_t kDigitsMax = std::numeric_limits<std::uint64_t>::digits10 + 1;
    to_ = std::to_chars(to_, to_ + kDigitsMax, number).ptr;
  }

  [[nodiscard]] char* end() const noexcept { return to_; }

 private:
  char* to_;
};

// Writes a head and `body` to `to`, and returns the end of what it has written.
char* write(char* to, const Response& response, const ResponseEncoderOptions& encoder_options,
            std::string_view body) noexcept {
  const Status status = response.status();
  const std::optional<std::uint64_t> size = content_size(response);
  TextWriter writer(to);
  if (status == Status::ok) {
    writer.add("HTTP/1.1 200 OK\r\nDate: ");
  } else {
    writer.add("HTTP/1.1 ");
    writer.add(code(status));
    writer.add(" ");
    writer.add(reason_phrase(status));
    writer.add("\r\nDate: ");
  }
  writer.add(encoder_options.date);
  if (describes_content(status)) {
    if (const std::string_view content_type = response.content_type(); !content_type.empty()) {
      writer.add("\r\nContent-Type: ");
      writer.add(content_type);
    }
    if (size) {
      writer.add("\r\nContent-Length: ");
      writer.add(*size);
    } else if (encoder_options.version == Version::http_1_1) {
      writer.add("\r\nTransfer-Encoding: chunked");
    }
  }
  writer.add("\r\n");
  if (response.upgrade() != nullptr) {
    writer.add("Connection: Upgrade\r\nUpgrade: ");
    writer.add(response.upgrade_protocol());
    writer.add("\r\n");
  } else {
    writer.add(connection_line(encoder_options, !size));
  }
  writer.add(response.headers().lines());
  writer.add("\r\n");
  writer.add(body);
  return writer.end();
}

// The room is made at once, so that `out` grows at most once.
void encode(const Response& response, const ResponseEncoderOptions& encoder_options, std::string_view body,
            std::string& out) {
  const std::size_t before = out.size();
  std::size_t room = kFixedBytesMax + encoder_options.date.size() + response.content_type().size() +
                     response.headers().lines().size() + body.size();
  if (response.status() != Status::ok) room += reason_phrase(response.status()).size();
  if (response.upgrade() != nullptr) room += response.upgrade_protocol().size();
  out.resize_and_overwrite(before + room, [&](char* buffer, std::size_t) {
    return static_cast<std::size_t>(write(buffer + before, response, encoder_options, body) - buffer);
  });
}

}  // namespace

void encode_response(const Response& response, const ResponseEncoderOptions& encoder_options, std::string& out,
                     std::size_t body_bytes_max) {
  encode(response, encoder_options, response_body(response, encoder_options).substr(0, body_bytes_max), out);
}

BodyFraming body_framing(const Response& response, const ResponseEncoderOptions& encoder_options) noexcept {
  if (encoder_options.head_only || !has_content(response.status())) return BodyFraming::none;
  if (content_size(response)) return BodyFraming::length;
  return encoder_options.version == Version::http_1_1 ? BodyFraming::chunked : BodyFraming::close;
}

std::string_view response_body(const Response& response, const ResponseEncoderOptions& encoder_options) noexcept {
  if (encoder_options.head_only || !has_content(response.status())) return {};
  return response.body();
}

void encode_interim(const Response& interim, std::string& out) {
  out.append("HTTP/1.1 ").append(std::to_string(code(interim.status()))).append(" ");
  out.append(reason_phrase(interim.status())).append("\r\n").append(interim.headers().lines()).append("\r\n");
}

}  // namespace volt::http::server
