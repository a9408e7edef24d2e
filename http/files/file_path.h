// SPDX-License-Identifier: MIT

// Maps a request's path to a path below a served directory. Refuses path traversal (`..` segments); the links below the
// directory are checked by http/files/internal/beneath.h.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::files {

struct FilePath {
  std::string relative;          // decoded; no empty, `.` or `..` segment, no NUL, no leading or trailing slash
  bool names_directory = false;  // the path is empty or ends with a slash: it names the directory itself

  bool operator==(const FilePath&) const = default;
};

enum class Hidden : bool { refused, allowed };

// Parses `escaped`, the part of the request's path after the directory's prefix and its slash, as the client wrote it.
// The text is decoded only once: `%252e` is the name `%2e`. Names with a leading dot are refused unless `hidden` allows
// them, except `.well-known` at the top (RFC 8615).
//
// Returns nullopt if the path cannot name a file. This is so for empty segments, dot segments, escaped slashes,
// backslashes, control characters and malformed escapes. Clients remove dot segments before they send a request (RFC
// 3986 section 5.2.4), so only attackers send them.
std::optional<FilePath> parse_file_path(std::string_view escaped, Hidden hidden);

// Returns the Location for a directory that was requested without its slash. It is a reference relative to the
// requested path (RFC 9110 section 10.2.2), so it does not depend on the prefix and the host. `escaped_path` is the
// argument of parse_file_path().
std::string location_with_slash(std::string_view escaped_path, std::string_view query);

}  // namespace volt::http::files
