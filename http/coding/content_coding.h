// SPDX-License-Identifier: MIT

// The content codings that Volt supports, and their names in Accept-Encoding and Content-Encoding (RFC 9110 section
// 8.4.1).
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
  identity,  // unencoded content, RFC 9110 section 12.5.3
  gzip,      // RFC 1952
  br,        // RFC 7932
  zstd,      // RFC 8878
  deflate,   // the zlib format, RFC 1950: decoded only, since clients disagree on its meaning
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

// Returns the coding of that name, case-insensitive; `x-gzip` is gzip (RFC 9110 section 8.4.1.3). Returns nullopt if
// unknown.
constexpr std::optional<ContentCoding> content_coding_from_token(std::string_view token) noexcept {
  using enum ContentCoding;
  for (const ContentCoding coding : {gzip, br, zstd, deflate, identity}) {
    if (message::equal_ignoring_case(token, to_string(coding))) return coding;
  }
  if (message::equal_ignoring_case(token, "x-gzip")) return gzip;
  return std::nullopt;
}

// Best first: br makes text smallest, zstd is fastest, gzip is supported by all clients.
inline constexpr std::array kPreferredCodings = {ContentCoding::br, ContentCoding::zstd, ContentCoding::gzip};

// Returns whether make_encoder() supports the coding.
constexpr bool can_encode(ContentCoding coding) noexcept {
  return coding != ContentCoding::identity && coding != ContentCoding::deflate;
}

}  // namespace volt::http::coding
