// SPDX-License-Identifier: MIT

#include "http/http1/target.h"

#include <algorithm>
#include <cstddef>

#include "http/message/host.h"

namespace volt::http::http1 {
namespace {

using message::is_hex;

// Returns whether every percent escape is complete (RFC 3986 section 2.1), and none before the query stands for NUL. No
// served path contains NUL, and a C string made from the path would end there (section 7.3). Other control characters
// are allowed: RFC 3986 treats them as data, and file names may contain them. They are refused or escaped where text is
// written into header fields (http/message/headers.h) or into the log (runtime/log_line.h).
bool escapes_acceptable(std::string_view text) noexcept {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (text.size() - at < 3 || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) return false;
    if (text.substr(at + 1, 2) == "00" && text.substr(0, at).find('?') == std::string_view::npos) return false;
  }
  return true;
}

void split_query(std::string_view path_and_query, Target& target) noexcept {
  const std::size_t question = path_and_query.find('?');
  target.path = path_and_query.substr(0, question);
  if (question != std::string_view::npos) target.query = path_and_query.substr(question + 1);
}

// Returns the text after `http://` or `https://` (RFC 9110 section 4.2). Returns empty text for other schemes, which
// are not served.
std::string_view without_scheme(std::string_view text) noexcept {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (message::equal_ignoring_case(text.substr(0, scheme.size()), scheme)) return text.substr(scheme.size());
  }
  return {};
}

std::expected<Target, ParseError> absolute_target(std::string_view text, Method method) noexcept {
  const std::string_view rest = without_scheme(text);
  const std::size_t authority_bytes = std::min(rest.find_first_of("/?"), rest.size());
  Target target{.form = Target::Form::absolute, .authority = rest.substr(0, authority_bytes)};
  if (!message::valid_host(target.authority)) return std::unexpected(ParseError::bad_target);
  split_query(rest.substr(authority_bytes), target);
  if (target.path.empty()) {
    // RFC 9110 section 4.2.3: an empty path means "/". RFC 9112 section 3.2.4: in an OPTIONS request, an empty path
    // without a query means the whole server.
    const bool whole_server = method == Method::options && authority_bytes == rest.size();
    target.path = whole_server ? "*" : "/";
    target.path_implied = true;
  }
  return target;
}

}  // namespace

std::expected<Target, ParseError> parse_target(std::string_view text, Method method) noexcept {
  if (!escapes_acceptable(text)) return std::unexpected(ParseError::bad_target);
  if (method == Method::connect) {
    if (!message::valid_host_with_port(text)) return std::unexpected(ParseError::bad_target);
    return Target{.form = Target::Form::authority, .authority = text};
  }
  if (text.starts_with('/')) {
    Target target;
    split_query(text, target);
    return target;
  }
  if (text == "*") {
    if (method != Method::options) return std::unexpected(ParseError::bad_target);
    return Target{.form = Target::Form::asterisk, .path = text};
  }
  return absolute_target(text, method);
}

}  // namespace volt::http::http1
