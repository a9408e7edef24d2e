// SPDX-License-Identifier: MIT

#include "redis/internal/url.h"

#include <charconv>
#include <optional>

namespace volt::redis::internal {
namespace {

using UrlMistake = std::unexpected<std::string>;

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    unsigned byte = static_cast<unsigned char>(text.front());
    std::size_t size = 1;
    if (text.front() == '%') {
      const std::string_view digits = text.substr(1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
      size = 3;
    }
    plain += static_cast<char>(byte);
    text.remove_prefix(size);
  }
  return plain;
}

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && end == text.data() + text.size();
}

// Takes "user:password@" off the front of `rest`; `authority_end` is where it must have ended.
bool take_login(std::string_view& rest, std::size_t authority_end, Target& target) {
  const std::size_t at = rest.substr(0, authority_end).rfind('@');
  if (at == std::string_view::npos) return true;
  const std::string_view login = rest.substr(0, at);
  const std::size_t colon = login.find(':');
  const std::string_view user = colon == std::string_view::npos ? std::string_view() : login.substr(0, colon);
  const auto plain_user = decoded(user);
  const auto plain_password = decoded(colon == std::string_view::npos ? login : login.substr(colon + 1));
  if (!plain_user || !plain_password) return false;
  target.user = *plain_user;
  target.password = *plain_password;
  rest.remove_prefix(at + 1);
  return true;
}

std::expected<Target, std::string> parse_unix(std::string_view rest, Target target) {
  const std::size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    const std::string_view query = rest.substr(question + 1);
    if (!query.starts_with("db=") || !read_number(query.substr(3), target.database)) {
      return UrlMistake("a unix URL may end in ?db=NUMBER only");
    }
    rest = rest.substr(0, question);
  }
  if (!take_login(rest, rest.find('/'), target)) return UrlMistake("the user or the password is not percent-encoded");
  const auto path = decoded(rest);
  if (!path || !path->starts_with('/')) return UrlMistake("a unix URL needs an absolute path: unix:///run/redis.sock");
  target.path = *path;
  return target;
}

std::expected<Target, std::string> parse_network(std::string_view rest, Target target) {
  if (!take_login(rest, rest.find('/', rest.rfind('@') == std::string_view::npos ? 0 : rest.rfind('@')), target)) {
    return UrlMistake("the user or the password is not percent-encoded");
  }
  const std::size_t slash = rest.find('/');
  std::string_view host = rest.substr(0, slash);
  const std::string_view database = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (!database.empty() && !read_number(database, target.database)) return UrlMistake("the database is not a number");
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    if (!read_number(host.substr(colon + 1), target.port) || target.port == 0) {
      return UrlMistake("the port is not a number from 1 to 65535");
    }
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return UrlMistake("the URL has no host");
  target.host = host;
  return target;
}

}  // namespace

std::string Target::name() const {
  const std::string where = path.empty() ? host + ":" + std::to_string(port) : path;
  return where + "/" + std::to_string(database);
}

std::expected<Target, std::string> parse_url(std::string_view url) {
  Target target;
  for (const auto& [scheme, tls] : {std::pair("redis://", false), std::pair("rediss://", true)}) {
    if (!url.starts_with(scheme)) continue;
    target.tls = tls;
    return parse_network(url.substr(std::string_view(scheme).size()), std::move(target));
  }
  constexpr std::string_view unix_scheme = "unix://";
  if (url.starts_with(unix_scheme)) return parse_unix(url.substr(unix_scheme.size()), std::move(target));
  return UrlMistake("the URL of a Redis server begins with redis://, rediss:// or unix://");
}

}  // namespace volt::redis::internal
