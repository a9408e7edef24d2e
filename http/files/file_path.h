// The path below a served directory that a request's path names.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::files {

struct FilePath {
  std::string relative;          // decoded: no empty, `.` or `..` segment, no NUL, no leading or trailing slash
  bool names_directory = false;  // it ended in a slash, or was empty: the directory itself

  bool operator==(const FilePath&) const = default;
};

enum class Hidden : bool { refused, allowed };

// `escaped`: what follows the directory's prefix and its slash in the path as the client wrote it. Decoded once, so
// that `%252e` is the name `%2e`. Nothing where no file could be meant: empty and dot segments (clients remove them
// before they ask, RFC 3986 section 5.2.4; who sends them means mischief), escaped slashes, backslashes and control
// characters in any spelling, broken escapes, and names with a leading dot unless allowed; but `.well-known` at the top
// (RFC 8615).
std::optional<FilePath> parse_file_path(std::string_view escaped, Hidden hidden);

// Where a client finds the directory whose slash it left out: a reference relative to the path it asked for (RFC 9110
// section 10.2.2), so that neither the prefix nor the host matters. `escaped_path` as parse_file_path() took it.
std::string location_with_slash(std::string_view escaped_path, std::string_view query);

}  // namespace volt::http::files
