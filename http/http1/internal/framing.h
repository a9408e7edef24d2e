// SPDX-License-Identifier: MIT

// Determines how the body of a request ends, by RFC 9112 section 6.3. Touches no connection state.
//
// A message that two recipients could read differently is refused, even where the RFC allows a server to repair it. A
// proxy in front of this server forwards the unrepaired message and may find its end at another place, which makes
// request smuggling possible (RFC 9112 section 11.2).
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
  bool disguised = false;  // whether a field is present for which disguises_framing() is true

  void add_coding(std::string_view value) noexcept;
  void add_length(std::string_view value) noexcept;
};

// Returns whether `value` is a valid Content-Length.
bool valid_length(std::string_view value) noexcept;

// Returns whether `name` could be mistaken for Content-Length or Transfer-Encoding because it differs from them only in
// hyphens and underscores, such as `Transfer_Encoding`. CGI and protocols derived from it map both spellings to one
// variable. `name` must not be one of the two genuine names.
bool disguises_framing(std::string_view name) noexcept;

// Returns how the body ends.
//
// A message with a disguised field (see disguises_framing) but neither genuine field is refused: a recipient that obeys
// the disguised field would read a body that this server does not see. If a genuine field is also present, the
// disguised field is ignored, because such a recipient sees a conflict and refuses the message itself.
//
// Fails with conflicting_framing, disguised_framing, bad_transfer_coding, unsupported_transfer_coding, bad_length.
std::expected<Framing, ParseError> request_framing(const FramingFields& fields, Version version) noexcept;

}  // namespace volt::http::http1
