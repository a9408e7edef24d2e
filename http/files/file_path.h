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
  bool names_directory = false;  // the path was empty or ended in a slash: the directory itself

  bool operator==(const FilePath&) const = default;
};

enum class Hidden : bool { refused, allowed };

// Parses `escaped`, the part of the path, as the client wrote it, after the directory's prefix and its slash. It is
// decoded once, so that `%252e` is the name `%2e`. Returns nullopt if it cannot name a file: empty and dot segments
// (clients remove them before they send a request, RFC 3986 section 5.2.4, so only attackers send them), escaped
// slashes, backslashes and control characters in any spelling, malformed escapes, and names with a leading dot unless
// allowed. `.well-known` at the top is always allowed (RFC 8615).
std::optional<FilePath> parse_file_path(std::string_view escaped, Hidden hidden);

// Returns the Location of a directory that was requested without its slash: a reference relative to the requested path
// (RFC 9110 section 10.2.2), so that neither prefix nor host matters. `escaped_path` is the argument of
// parse_file_path().
std::string location_with_slash(std::string_view escaped_path, std::string_view query);

}  // namespace volt::http::files
