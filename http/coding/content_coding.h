// The content codings that Volt speaks, and their names in Accept-Encoding and Content-Encoding
// (RFC 9110 section 8.4.1).
//
// Threads: pure functions and constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "http/message/ascii.h"

namespace volt::http::coding {

enum class ContentCoding : std::uint8_t {
  identity,  // the content as it is: RFC 9110 section 12.5.3
  gzip,      // RFC 1952
  br,        // RFC 7932
  zstd,      // RFC 8878
  deflate,   // the zlib format, RFC 1950: only decoded, since clients disagree about what it is
};
inline constexpr std::size_t kContentCodings = 5;

constexpr std::string_view to_string(ContentCoding coding) noexcept {
  switch (coding) {
      // clang-format off
    case ContentCoding::identity: return "identity";
    case ContentCoding::gzip:     return "gzip";
    case ContentCoding::br:       return "br";
    case ContentCoding::zstd:     return "zstd";
    case ContentCoding::deflate:  return "deflate";
      // clang-format on
  }
  std::unreachable();
}

// Case-blind; `x-gzip` is gzip (RFC 9110 section 8.4.1.3). Empty for a coding that we do not know.
constexpr std::optional<ContentCoding> content_coding_from_token(std::string_view token) noexcept {
  using enum ContentCoding;
  for (const ContentCoding coding : {gzip, br, zstd, deflate, identity}) {
    if (message::equal_ignoring_case(token, to_string(coding))) return coding;
  }
  if (message::equal_ignoring_case(token, "x-gzip")) return gzip;
  return std::nullopt;
}

// Best first: br makes text smallest, zstd is fastest, gzip is known to all.
inline constexpr std::array kPreferredCodings = {ContentCoding::br, ContentCoding::zstd, ContentCoding::gzip};

// What make_encoder() makes.
constexpr bool can_encode(ContentCoding coding) noexcept {
  return coding != ContentCoding::identity && coding != ContentCoding::deflate;
}

}  // namespace volt::http::coding
