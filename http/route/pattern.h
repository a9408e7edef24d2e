// The pattern of a route: the paths that it matches and the names of what it takes from them.
//
//   pattern = 1*( "/" segment )
//   segment = text            literal; "" only as the last, so that "/a/" is a pattern
//           / "{" name "}"    parameter: exactly one segment, not empty
//           / "{" name "...}" wildcard: the rest of the path with its slashes, perhaps empty; only as the last
//   name    = identifier      each once in a pattern
//
// Literal text may be escaped, as in a path (`/a%20b`), and has to be for '?', '#' and braces: it means what it decodes
// to. An escaped slash is part of its segment and separates nothing. `/files/{rest...}` matches `/files/`, not `/files`.
// A pattern may be put together from the prefix of a group and a rest: "/api/v1" and "/items/{id}", "/" or "".
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
inline constexpr std::size_t kSegmentsMax = 64;  // of a pattern; bounds what a look-up has to remember

struct Pattern {
  std::string_view error = {};  // a sentence; empty if the pattern is valid
  std::size_t parameter_count = 0;
  std::array<std::string_view, kParametersMax> parameters = {};

  [[nodiscard]] constexpr bool valid() const noexcept { return error.empty(); }
  // In the order of the path; a wildcard's is the last.
  [[nodiscard]] constexpr std::span<const std::string_view> names() const noexcept {
    return {parameters.data(), parameter_count};
  }
};

struct Segment {
  enum class Kind : std::uint8_t { literal, parameter, wildcard };
  Kind kind = Kind::literal;
  std::string_view text;  // of a literal as written, else the name
};

// Takes "/segment" off the front of `rest`, which begins with '/'. The name is not checked.
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

// "." or "..", escaped or not: what a path must not hold, as no two recipients agree on what it then means.
constexpr bool is_dot_segment(std::string_view segment) noexcept {
  std::size_t dots = 0;
  while (!segment.empty()) {
    if (message::take_percent_decoded(segment) != '.' || ++dots > 2) return false;
  }
  return dots > 0;
}

// What is wrong with a segment on its own; empty if nothing is.
constexpr std::string_view error_of_name(std::string_view name) noexcept {
  if (name.empty()) return "a parameter has no name";
  if (message::is_digit(name.front())) return "the name of a parameter begins with a digit";
  for (const char c : name) {
    if (!message::is_alpha(c) && !message::is_digit(c) && c != '_') return "the name of a parameter is no identifier";
  }
  return {};
}

constexpr std::string_view error_of_literal(std::string_view text) noexcept {
  if (is_dot_segment(text)) return "a pattern has no segment \".\" or \"..\"";
  while (!text.empty()) {
    const char written = text.front();
    if (message::contains("{}", written)) return "a parameter is a whole segment: /{name}/";
    if (message::contains("?#", written)) return "a pattern is a path, without query and fragment";
    if (written == '%' && !message::starts_with_escape(text)) return "an escape in a pattern is malformed";
    if (message::take_percent_decoded(text) == '\0') return "a pattern holds a NUL";
  }
  return {};
}

// Reads patterns whose parts come one after the other.
class PatternReader {
 public:
  // A part is empty or begins with '/'.
  constexpr void read(std::string_view part) noexcept {
    if (!part.empty() && part.front() != '/') fail("a pattern begins with '/'");
    while (pattern_.valid() && !part.empty()) add(take_segment(part));
  }

  constexpr Pattern finish() noexcept {
    if (segments_ == 0) fail("a pattern begins with '/'");
    return pattern_;
  }

 private:
  constexpr void fail(std::string_view error) noexcept {
    if (pattern_.valid()) pattern_.error = error;
  }

  constexpr void add(const Segment& segment) noexcept {
    if (after_wildcard_) return fail("a wildcard is the last segment of its pattern");
    if (after_empty_) return fail("a pattern has an empty segment that is not its last");
    if (++segments_ > kSegmentsMax) return fail("a pattern has more than 64 segments");
    if (segment.kind != Segment::Kind::literal) return add_name(segment);
    after_empty_ = segment.text.empty();
    fail(error_of_literal(segment.text));
  }

  constexpr void add_name(const Segment& segment) noexcept {
    after_wildcard_ = segment.kind == Segment::Kind::wildcard;
    for (const std::string_view name : pattern_.names()) {
      if (name == segment.text) return fail("a pattern has two parameters of one name");
    }
    if (pattern_.parameter_count == kParametersMax) return fail("a pattern has more than 16 parameters");
    pattern_.parameters[pattern_.parameter_count++] = segment.text;
    fail(error_of_name(segment.text));
  }

  static_assert(kSegmentsMax == 64 && kParametersMax == 16, "the sentences above say so");

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

// What follows a prefix that is not known yet: as a pattern, but it may be empty.
constexpr Pattern parse_pattern_rest(std::string_view rest) noexcept {
  return rest.empty() ? Pattern{} : parse_pattern(rest);
}

}  // namespace volt::http::route
