// SPDX-License-Identifier: MIT

// The four forms of a request target, RFC 9112 section 3.2.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "http/http1/internal/parse_error.h"
#include "http/message/ascii.h"
#include "http/message/method.h"

namespace volt::http::http1 {

// The bytes allowed in a target: visible ASCII without `"`, `<`, `>`, `\` and '#'. RFC 3986 allows the first four
// nowhere, and other software strips, decodes or truncates at them; '#' would begin a fragment, which is never sent.
// The other bytes that RFC 3986 excludes, ^`{|} and brackets in a query, are allowed because browsers send them
// unescaped.
inline constexpr message::ByteSet kTargetChars([](char c) {
  return c > 0x20 && c < 0x7f && !message::contains("\"<>\\#", c);
});

// A parsed target: views into its text, or static text.
struct Target {
  enum class Form : std::uint8_t { origin, absolute, authority, asterisk };
  Form form = Form::origin;
  std::string_view authority = {};  // absolute and authority form: `host` or `host:port`
  std::string_view path = {};       // origin and absolute form; "*" in asterisk form
  std::string_view query = {};      // without the '?'
  bool path_implied = false;        // `path` is static text: an absolute target without a path
};

// Parses a target. `text` must hold only bytes of kTargetChars. Fails with bad_target.
std::expected<Target, ParseError> parse_target(std::string_view text, Method method) noexcept;

}  // namespace volt::http::http1
