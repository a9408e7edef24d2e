// SPDX-License-Identifier: MIT

// The pattern of a route: the paths that it matches and the names of the parameters that it takes from them.
//
//   pattern = 1*( "/" segment )
//   segment = text            literal; "" only as the last segment, so that "/a/" is a pattern
//           / "{" name "}"    parameter: exactly one segment, not empty
//           / "{" name "...}" wildcard: the rest of the path with its slashes, perhaps empty; only as the last segment
//   name    = identifier      unique within a pattern
//
// Literal text may be escaped, as in a path (`/a%20b`); '?', '#' and braces must be escaped, and at the beginning of a
// segment also ':', '*' and '<', with which other frameworks write parameters. Escaped text is compared decoded. An
// escaped slash is part of its segment and separates nothing. `/files/{rest...}` matches `/files/`, but not `/files`. A
// pattern may consist of two parts, the prefix of a group and the rest: the prefix "/api/v1" can be followed by
// "/items/{id}", by "/" or by "".
//
// Threads: pure functions, usable in constant expressions. Lifetime: names and texts are views into the pattern.
// Source: the grammar of Go's net/http.ServeMux, without "{$}".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "http/message/percent.h"

namespace volt::http::route {

inline constexpr std::size_t kParametersMax = 16;
inline constexpr std::size_t kSegmentsMax = 64;  // of a pattern; bounds the memory of a look-up

struct Pattern {
  std::string_view error = {};  // a sentence; empty if the pattern is valid
  std::size_t parameter_count = 0;
  std::array<std::string_view, kParametersMax> parameters = {};

  [[nodiscard]] constexpr bool valid() const noexcept { return error.empty(); }
  // Returns the parameter names in the order of the path; a wildcard's name is the last.
  [[nodiscard]] constexpr std::span<const std::string_view> names() const noexcept {
    return {parameters.data(), parameter_count};
  }
};

struct Segment {
  enum class Kind : std::uint8_t { literal, parameter, wildcard };
  Kind kind = Kind::literal;
  std::string_view text;  // a literal's text as written, else the parameter's name
};

// Removes "/segment" from the front of `rest`, which must begin with '/'. The name is not checked.
constexpr Segment take_segment(std::string_view& rest) noexcept {
  rest.remove_prefix(1);
  const std::string_view text = rest.substr(0, rest.find('/'));
  rest.remove_prefix(text.size());
  if (!text.starts_with('{') || !text.ends_with('}')) return {.kind = Segment::Kind::literal, .text = text};
  constexpr std::string_view kDots = "...";
  const std::string_view name = text.substr(1, text.size() - 2);
  if (!name.ends_with(kDots)) return {.kind = Segment::Kind::parameter, .text = name};
  return {.kind = Segment::Kind::wildcard, .text = name.substr(0, name.size() - kDots.size())};
}

// Returns whether `segment` is "." or "..", escaped or not. A path must not contain such a segment, since recipients
// disagree on its meaning.
constexpr bool is_dot_segment(std::string_view segment) noexcept {
  std::size_t dots = 0;
  while (!segment.empty()) {
    if (message::take_percent_decoded(segment) != '.' || ++dots > 2) return false;
  }
  return dots > 0;
}

// Returns the error of a parameter name; empty if it is valid.
constexpr std::string_view error_of_name(std::string_view name) noexcept {
  if (name.empty()) return "a parameter has no name";
  if (message::is_digit(name.front())) return "the name of a parameter begins with a digit";
  for (const char c : name) {
    if (!message::is_alpha(c) && !message::is_digit(c) && c != '_')
      return "the name of a parameter is not an identifier";
  }
  return {};
}

// The errors that the compiler reports by names of their own (http/web/route_pattern.h).
inline constexpr std::string_view kNoSlash = "a pattern must begin with '/'";
inline constexpr std::string_view kNoBraces =
    "a parameter is written /{name}, and the rest of the path /{name...}; at the beginning of a segment, ':', '*' and "
    "'<' must be escaped";

constexpr std::string_view error_of_literal(std::string_view text) noexcept {
  if (!text.empty() && message::contains(":*<", text.front())) return kNoBraces;
  if (is_dot_segment(text)) return "a pattern must not have a segment \".\" or \"..\"";
  while (!text.empty()) {
    const char written = text.front();
    if (message::contains("{}", written)) return "a parameter must be a whole segment: /{name}/";
    if (message::contains("?#", written)) return "a pattern must not contain a query or a fragment";
    if (written == '%' && !message::starts_with_escape(text)) return "an escape in a pattern is malformed";
    if (message::take_percent_decoded(text) == '\0') return "a pattern must not contain NUL";
  }
  return {};
}

// Reads a pattern from its parts, which must be passed in order.
class PatternReader {
 public:
  // Reads one part, which must be empty or begin with '/'.
  constexpr void read(std::string_view part) noexcept {
    if (!part.empty() && part.front() != '/') fail(kNoSlash);
    while (pattern_.valid() && !part.empty()) add(take_segment(part));
  }

  constexpr Pattern finish() noexcept {
    if (segments_ == 0) fail(kNoSlash);
    return pattern_;
  }

 private:
  constexpr void fail(std::string_view error) noexcept {
    if (pattern_.valid()) pattern_.error = error;
  }

  constexpr void add(const Segment& segment) noexcept {
    if (after_wildcard_) return fail("a wildcard must be the last segment of its pattern");
    if (after_empty_) return fail("a pattern has an empty segment before its end");
    if (++segments_ > kSegmentsMax) return fail("a pattern has more than 64 segments");
    if (segment.kind != Segment::Kind::literal) return add_name(segment);
    after_empty_ = segment.text.empty();
    fail(error_of_literal(segment.text));
  }

  constexpr void add_name(const Segment& segment) noexcept {
    after_wildcard_ = segment.kind == Segment::Kind::wildcard;
    for (const std::string_view name : pattern_.names()) {
      if (name == segment.text) return fail("a pattern has two parameters with one name");
    }
    if (pattern_.parameter_count == kParametersMax) return fail("a pattern has more than 16 parameters");
    pattern_.parameters[pattern_.parameter_count++] = segment.text;
    fail(error_of_name(segment.text));
  }

  static_assert(kSegmentsMax == 64 && kParametersMax == 16, "the error messages above state these limits");

  Pattern pattern_;
  std::size_t segments_ = 0;
  bool after_wildcard_ = false;
  bool after_empty_ = false;
};

constexpr Pattern parse_pattern(std::string_view prefix, std::string_view rest) noexcept {
  PatternReader reader;
  reader.read(prefix);
  reader.read(rest);
  return reader.finish();
}

constexpr Pattern parse_pattern(std::string_view text) noexcept { return parse_pattern(text, {}); }

// Parses the rest of a pattern whose prefix is not known yet, such as a route of a group. Unlike a pattern, the rest
// may be empty.
constexpr Pattern parse_pattern_rest(std::string_view rest) noexcept {
  return rest.empty() ? Pattern{} : parse_pattern(rest);
}

}  // namespace volt::http::route
