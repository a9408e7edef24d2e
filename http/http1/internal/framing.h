// SPDX-License-Identifier: MIT

// Determines how the body of a request ends, by RFC 9112 section 6.3. Touches no connection state.
//
// A message that two recipients could read differently is refused, also where the RFC would let a server repair it: a
// proxy before this server may have read the unrepaired message the other way (request smuggling, RFC 9112 section
// 11.2).
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "http/http1/internal/parse_error.h"
#include "http/message/version.h"

namespace volt::http::http1 {

struct Framing {
  enum class Kind : std::uint8_t { none, sized, chunked };
  Kind kind = Kind::none;
  std::uint64_t size_bytes = 0;  // if sized: length of the body in bytes

  bool operator==(const Framing&) const = default;
};

// The fields that determine the end of a body, as received, without the white space around the values.
struct FramingFields {
  std::optional<std::string_view> coding;  // the first Transfer-Encoding
  std::optional<std::string_view> length;  // the first Content-Length
  bool coding_repeated = false;
  bool length_repeated = false;
  bool disguised = false;  // a field whose name some recipients take for one of the two, see disguises_framing()

  void add_coding(std::string_view value) noexcept;
  void add_length(std::string_view value) noexcept;
};

// Returns whether `value` is a length that Content-Length may state.
bool valid_length(std::string_view value) noexcept;

// Returns whether `name`, which is neither field's name, differs from Content-Length or Transfer-Encoding only by its
// separators: `Transfer_Encoding`. CGI and its descendants map both spellings to one name.
bool disguises_framing(std::string_view name) noexcept;

// Returns how the body ends. A disguised field is ignored if one of the two genuine fields is also present: a recipient
// that takes it for framing sees a conflict and refuses the message. Alone, it would give such a recipient a body that
// this server does not see, so the message is refused.
//
// Fails with conflicting_framing, disguised_framing, bad_transfer_coding, unsupported_transfer_coding, bad_length.
std::expected<Framing, ParseError> request_framing(const FramingFields& fields, Version version) noexcept;

}  // namespace volt::http::http1
