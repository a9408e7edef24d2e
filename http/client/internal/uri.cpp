// SPDX-License-Identifier: MIT

#include "http/client/internal/uri.h"

#include <algorithm>
#include <charconv>

#include "http/http1/target.h"
#include "http/message/ascii.h"
#include "http/message/host.h"

namespace volt::http::client {
namespace {

constexpr std::string_view kPlain = "http:";
constexpr std::string_view kSecure = "https:";

bool take_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (!message::equal_ignoring_case(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Sets host and port from `authority`, which must be valid. Returns false if the port is too large.
bool split_authority(Uri& uri) {
  const std::size_t bracket = uri.authority.find(']');
  const std::size_t colon = uri.authority.find(':', bracket == std::string::npos ? 0 : bracket);
  const std::string_view all = uri.authority;
  std::string_view host = all.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  uri.host = host;
  std::ranges::transform(uri.host, uri.host.begin(), message::to_lower);
  uri.port = uri.secure ? 443 : 80;
  const std::string_view port = colon == std::string::npos ? std::string_view() : all.substr(colon + 1);
  if (port.empty()) return true;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), uri.port);
  return failure == std::errc{} && end == port.data() + port.size();
}

bool is_target(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return http1::kTargetChars.contains(c); });
}

// Parses the part after the scheme: "//authority/path?query".
std::optional<Uri> parse_rest(std::string_view text, bool secure) {
  if (!take_prefix(text, "//")) return std::nullopt;
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  Uri uri{.secure = secure, .authority = std::string(text.substr(0, end))};
  const std::string_view target = text.substr(end);
  uri.target = (target.starts_with('/') ? "" : "/") + std::string(target);
  if (!message::valid_host(uri.authority) || !split_authority(uri) || !is_target(uri.target)) return std::nullopt;
  return uri;
}

// Removes the segments "." and ".." (RFC 3986 section 5.2.4); `path` begins with '/'.
std::string remove_dot_segments(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    const bool dots = segment == "/." || segment == "/..";
    if (segment == "/..") result.resize(result.contains('/') ? result.rfind('/') : 0);
    if (!dots) result += segment;
    if (dots && path.empty()) result += '/';
  }
  return result;
}

std::string merge(std::string_view base_path, std::string_view reference_path) {
  if (reference_path.starts_with('/')) return remove_dot_segments(reference_path);
  return remove_dot_segments(std::string(base_path.substr(0, base_path.rfind('/') + 1)) + std::string(reference_path));
}

}  // namespace

std::optional<Uri> parse_uri(std::string_view text) {
  if (take_prefix(text, kPlain)) return parse_rest(text, false);
  if (take_prefix(text, kSecure)) return parse_rest(text, true);
  return std::nullopt;
}

std::optional<Uri> resolve_reference(const Uri& base, std::string_view reference) {
  reference = reference.substr(0, reference.find('#'));
  const std::size_t stop = std::min(reference.find_first_of(":/?"), reference.size());
  if (stop != reference.size() && reference[stop] == ':') return parse_uri(reference);
  if (reference.starts_with("//")) return parse_rest(reference, base.secure);
  const std::string_view base_path = std::string_view(base.target).substr(0, base.target.find('?'));
  const std::size_t query = std::min(reference.find('?'), reference.size());
  const std::string_view path = reference.substr(0, query);
  Uri uri = base;
  if (!reference.empty()) {
    uri.target =
        (path.empty() ? std::string(base_path) : merge(base_path, path)) + std::string(reference.substr(query));
  }
  if (!is_target(uri.target)) return std::nullopt;
  return uri;
}

}  // namespace volt::http::client
