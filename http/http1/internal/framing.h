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

#include "http/http1/internal/parse_error.h"
#include "http/message/version.h"

namespace volt::http::http1 {

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
  bool disguised = false;  // a field whose name some recipients take for one of the two, see disguises_framing()

  void add_coding(std::string_view value) noexcept;
  void add_length(std::string_view value) noexcept;
};

// Whether that is a length that a Content-Length may state.
bool valid_length(std::string_view value) noexcept;

// Whether `name`, which is neither, differs from Content-Length or Transfer-Encoding only by its separators:
// `Transfer_Encoding`. CGI and what descends from it fold both to the same name.
bool disguises_framing(std::string_view name) noexcept;

// Disguised fields are like any other where one of the two stands beside them: who takes them for framing sees a
// conflict and refuses. Alone they would give that recipient a body that we do not see: refused.
//
// Fails with conflicting_framing, disguised_framing, bad_transfer_coding, unsupported_transfer_coding, bad_length.
std::expected<Framing, ParseError> request_framing(const FramingFields& fields, Version version) noexcept;

}  // namespace volt::http::http1
