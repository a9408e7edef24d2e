// SPDX-License-Identifier: MIT

#include "http/files/file_path.h"

#include <algorithm>
#include <cstddef>

#include "http/message/ascii.h"
#include "http/message/percent.h"

namespace volt::http::files {
namespace {

constexpr message::ByteSet kNameChars([](char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f && c != '/' && c != '\\';
});

// Appends the bytes of `segment`, percent-decoded.
bool append_decoded(std::string_view segment, std::string& out) {
  while (!segment.empty()) {
    if (segment.front() == '%' && !message::starts_with_escape(segment)) return false;
    const char c = message::take_percent_decoded(segment);
    if (!kNameChars.contains(c)) return false;
    out.push_back(c);
  }
  return true;
}

bool acceptable(std::string_view name, bool top, Hidden hidden) noexcept {
  if (name.empty() || name == "." || name == "..") return false;
  return name.front() != '.' || hidden == Hidden::allowed || (top && name == ".well-known");
}

}  // namespace

std::optional<FilePath> parse_file_path(std::string_view escaped, Hidden hidden) {
  FilePath path;
  path.relative.reserve(escaped.size());
  path.names_directory = escaped.empty() || escaped.ends_with('/');
  if (escaped.empty()) return path;
  if (path.names_directory) escaped.remove_suffix(1);
  for (std::size_t at = 0; at <= escaped.size();) {
    const std::size_t slash = std::min(escaped.find('/', at), escaped.size());
    const std::size_t begin = path.relative.size();
    if (!append_decoded(escaped.substr(at, slash - at), path.relative)) return std::nullopt;
    if (!acceptable(std::string_view(path.relative).substr(begin), begin == 0, hidden)) return std::nullopt;
    if (slash < escaped.size()) path.relative.push_back('/');
    at = slash + 1;
  }
  return path;
}

std::string location_with_slash(std::string_view escaped_path, std::string_view query) {
  std::string location("./");  // without it, a colon in the name would make the part before it a scheme
  location.append(escaped_path.substr(escaped_path.rfind('/') + 1)).push_back('/');
  if (!query.empty()) location.append("?").append(query);
  return location;
}

}  // namespace volt::http::files
