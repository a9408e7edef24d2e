// SPDX-License-Identifier: MIT

#include "http/server/response_encoder.h"

#include <array>
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

class Decimal {
 public:
  explicit Decimal(std::uint64_t value) noexcept
      : size_(static_cast<std::size_t>(std::to_chars(digits_, digits_ + kDigitsMax, value).ptr - digits_)) {}
  std::string_view view() const noexcept { return {digits_, size_}; }

 private:
  static constexpr std::size_t kDigitsMax = std::numeric_limits<std::uint64_t>::digits10 + 1;
  char digits_[kDigitsMax];
  std::size_t size_;
};

// The pieces of a response. Their total size is known before they are copied, so that the output grows only once.
class Pieces {
 public:
  void add(std::string_view piece) noexcept {
    if (piece.empty()) return;  // memcpy from nullptr is undefined, even of no bytes
    pieces_[count_++] = piece;
    size_ += piece.size();
  }

  void append_to(std::string& out) const {
    const std::size_t before = out.size();
    // The callback's own size argument is not used: libstdc++ 12 passes the new capacity there when the string grows.
    out.resize_and_overwrite(before + size_, [&](char* to, std::size_t) {
      to += before;
      for (std::size_t i = 0; i < count_; ++i) {
        std::memcpy(to, pieces_[i].data(), pieces_[i].size());
        to += pieces_[i].size();
      }
      return before + size_;
    });
  }

 private:
  std::array<std::string_view, 16> pieces_;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

void encode(const Response& response, const ResponseEncoderOptions& encoder_options, std::string_view body,
            std::string& out) {
  const Status status = response.status();
  const Decimal status_digits(code(status));
  const std::optional<std::uint64_t> size = content_size(response);
  const Decimal length(size.value_or(0));
  Pieces pieces;
  if (status == Status::ok) {
    pieces.add("HTTP/1.1 200 OK\r\nDate: ");
  } else {
    pieces.add("HTTP/1.1 ");
    pieces.add(status_digits.view());
    pieces.add(" ");
    pieces.add(reason_phrase(status));
    pieces.add("\r\nDate: ");
  }
  pieces.add(encoder_options.date);
  if (describes_content(status)) {
    if (!response.content_type().empty()) {
      pieces.add("\r\nContent-Type: ");
      pieces.add(response.content_type());
    }
    if (size) {
      pieces.add("\r\nContent-Length: ");
      pieces.add(length.view());
    } else if (encoder_options.version == Version::http_1_1) {
      pieces.add("\r\nTransfer-Encoding: chunked");
    }
  }
  pieces.add("\r\n");
  if (response.upgrade() != nullptr) {
    pieces.add("Connection: Upgrade\r\nUpgrade: ");
    pieces.add(response.upgrade_protocol());
    pieces.add("\r\n");
  } else {
    pieces.add(connection_line(encoder_options, !size));
  }
  pieces.add(response.headers().lines());
  pieces.add("\r\n");
  pieces.add(body);
  pieces.append_to(out);
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
