// SPDX-License-Identifier: MIT

#include "http/http1/internal/framing.h"

#include <limits>

#include "http/message/ascii.h"

namespace volt::http::http1 {
namespace {

using message::equal_ignoring_case;

// Returns whether `name` is a registered compression coding (RFC 9112 section 7.2). This server supports none of them
// as a transfer coding.
bool known_coding(std::string_view name) noexcept {
  for (const std::string_view known : {"gzip", "x-gzip", "deflate", "compress", "x-compress"}) {
    if (equal_ignoring_case(name, known)) return true;
  }
  return false;
}

// Returns the error for a Transfer-Encoding other than `chunked` alone. unsupported_transfer_coding (501) is for lists
// of known codings, so that an honest client learns what to leave out. bad_transfer_coding (400) is for lists that an
// honest client does not send.
ParseError refuse_codings(std::string_view list) noexcept {
  bool chunked_seen = false;
  while (!list.empty()) {
    const bool more = list.find(',') != std::string_view::npos;
    const std::string_view coding = message::take_list_element(list);
    if (more && list.empty()) return ParseError::bad_transfer_coding;  // a comma ends the list
    if (chunked_seen) return ParseError::bad_transfer_coding;          // chunked is not last, or is repeated
    if (equal_ignoring_case(coding, "chunked")) {
      chunked_seen = true;
    } else if (!known_coding(coding)) {
      return ParseError::bad_transfer_coding;
    }
  }
  return ParseError::unsupported_transfer_coding;
}

std::expected<Framing, ParseError> coded_framing(std::string_view coding, Version version) noexcept {
  if (version == Version::http_1_0) return std::unexpected(ParseError::bad_transfer_coding);  // section 6.1
  if (equal_ignoring_case(coding, "chunked")) return Framing{Framing::Kind::chunked};
  if (coding.empty()) return std::unexpected(ParseError::bad_transfer_coding);
  return std::unexpected(refuse_codings(coding));
}

// Returns whether `name` equals `letters` when hyphens and underscores are ignored.
bool spells(std::string_view name, std::string_view letters) noexcept {
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    if (letters.empty() || message::to_lower(c) != letters.front()) return false;
    letters.remove_prefix(1);
  }
  return letters.empty();
}

// Parses 1*DIGIT (RFC 9110 section 8.6) below 2^63, so that no signed count can become negative. Leading zeros, which
// no client writes, are refused although they are digits: some recipients read such a number as octal.
std::expected<Framing, ParseError> sized_framing(std::string_view length) noexcept {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (length.empty() || (length.size() > 1 && length.front() == '0')) return std::unexpected(ParseError::bad_length);
  std::uint64_t size_bytes = 0;
  for (const char c : length) {
    if (!message::is_digit(c)) return std::unexpected(ParseError::bad_length);
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (size_bytes > (kMax - digit) / 10) return std::unexpected(ParseError::bad_length);
    size_bytes = size_bytes * 10 + digit;
  }
  return Framing{Framing::Kind::sized, size_bytes};
}

}  // namespace

void FramingFields::add_coding(std::string_view value) noexcept {
  coding_repeated = coding.has_value();
  if (!coding) coding = value;
}

void FramingFields::add_length(std::string_view value) noexcept {
  length_repeated = length.has_value();
  if (!length) length = value;
}

bool valid_length(std::string_view value) noexcept { return sized_framing(value).has_value(); }

bool disguises_framing(std::string_view name) noexcept {
  return spells(name, "contentlength") || spells(name, "transferencoding");
}

std::expected<Framing, ParseError> request_framing(const FramingFields& fields, Version version) noexcept {
  if (fields.coding && fields.length) return std::unexpected(ParseError::conflicting_framing);
  if (fields.coding_repeated) return std::unexpected(ParseError::bad_transfer_coding);
  if (fields.coding) return coded_framing(*fields.coding, version);
  if (!fields.length && fields.disguised) return std::unexpected(ParseError::disguised_framing);
  if (!fields.length) return Framing{};
  if (fields.length_repeated) return std::unexpected(ParseError::bad_length);  // whether the values are equal or not
  return sized_framing(*fields.length);
}

}  // namespace volt::http::http1
