// How the body of a request ends, by RFC 9112 section 6.3. Touches no connection state.
//
// Whatever two recipients could read differently is refused, also where the RFC would let a server repair it: a
// repaired message is one that the proxy before us may have read the other way (RFC 9112 section 11.2).
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "http/codec/parse_error.h"
#include "http/version.h"

namespace volt::http::codec {

struct Framing {
  enum class Kind : std::uint8_t { none, sized, chunked };
  Kind kind = Kind::none;
  std::uint64_t size_bytes = 0;  // if sized

  bool operator==(const Framing&) const = default;
};

// The fields that say where a body ends, as they came, without the white space around the values.
struct FramingFields {
  std::optional<std::string_view> coding;  // Transfer-Encoding, the first
  std::optional<std::string_view> length;  // Content-Length, the first
  bool coding_repeated = false;
  bool length_repeated = false;

  void add_coding(std::string_view value) noexcept;
  void add_length(std::string_view value) noexcept;
};

// Fails with conflicting_framing, bad_transfer_coding, unsupported_transfer_coding, bad_length.
std::expected<Framing, ParseError> request_framing(const FramingFields& fields, Version version) noexcept;

}  // namespace volt::http::codec
