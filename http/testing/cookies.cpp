// SPDX-License-Identifier: MIT

#include "http/testing/cookies.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "http/message/ascii.h"
#include "http/testing/internal/cookie_date.h"
#include "http/testing/response.h"

namespace volt::http {
namespace {

using message::equal_ignoring_case;

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), message::to_lower);
  return lower;
}

// RFC 6265 section 5.1.3, without the check for IP addresses: those have no cookies with a Domain other than
// themselves, because no test has a host that ends in one.
bool domain_matches(std::string_view host, std::string_view domain) noexcept {
  return host == domain ||
         (host.size() > domain.size() && host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
}

// RFC 6265 section 5.1.4.
bool path_matches(std::string_view path, std::string_view of_cookie) noexcept {
  return path.starts_with(of_cookie) &&
         (path.size() == of_cookie.size() || of_cookie.ends_with('/') || path[of_cookie.size()] == '/');
}

std::string default_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

// RFC 6265 section 5.2.2. A malformed Max-Age is ignored.
std::optional<std::chrono::sys_seconds> after_max_age(std::string_view text, std::chrono::sys_seconds now) noexcept {
  constexpr std::int64_t kSecondsMax = std::int64_t{400} * 24 * 60 * 60;  // browsers cap the age at 400 days
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) seconds = text.starts_with('-') ? 0 : kSecondsMax;
  return now + std::chrono::seconds(std::clamp(seconds, std::int64_t{0}, kSecondsMax));
}

struct ReceivedCookie {
  TestCookie cookie;
  std::string_view domain;  // of the attribute, without a leading dot; empty: none
};

// Removes the part before the next `separator`, or all, from the front of `text` and returns it trimmed.
std::string_view take_until(std::string_view& text, char separator) noexcept {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = message::trim_ows(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// RFC 6265 section 5.2.
ReceivedCookie read_set_cookie(std::string_view field, const testing::CookieTarget& target,
                               std::chrono::sys_seconds now) {
  ReceivedCookie received{.cookie = {.domain = target.host, .path = default_path(target.path)}, .domain = {}};
  TestCookie& cookie = received.cookie;
  std::string_view pair = take_until(field, ';');
  if (!pair.contains('=')) throw TestFailure("it has no '='");
  cookie.name = take_until(pair, '=');
  cookie.value = message::trim_ows(pair);
  if (cookie.name.empty()) throw TestFailure("it has no name");
  bool has_max_age = false;
  while (!field.empty()) {
    std::string_view value = take_until(field, ';');
    const std::string_view name = take_until(value, '=');
    value = message::trim_ows(value);
    if (equal_ignoring_case(name, "max-age")) {
      const auto expires = after_max_age(value, now);
      if (expires) cookie.expires = expires;
      has_max_age = has_max_age || expires;
    } else if (equal_ignoring_case(name, "expires")) {
      const auto expires = testing::parse_cookie_date(value);
      if (expires && !has_max_age) cookie.expires = expires;
    } else if (equal_ignoring_case(name, "domain")) {
      received.domain = value.starts_with('.') ? value.substr(1) : value;
    } else if (equal_ignoring_case(name, "path")) {
      cookie.path = value.starts_with('/') ? std::string(value) : default_path(target.path);
    } else if (equal_ignoring_case(name, "secure")) {
      cookie.secure = true;
    } else if (equal_ignoring_case(name, "httponly")) {
      cookie.http_only = true;
    }
  }
  return received;
}

// Section 5.3 of RFC 6265, and of its revision (draft-ietf-httpbis-rfc6265bis) for the prefixes of names.
void require_acceptable(const ReceivedCookie& received, const testing::CookieTarget& target) {
  const TestCookie& cookie = received.cookie;
  if (!received.domain.empty() && !domain_matches(target.host, in_lower_case(received.domain))) {
    throw TestFailure("its Domain is not the host " + target.host + " or above it");
  }
  if (!received.domain.empty() && !received.domain.contains('.') &&
      !equal_ignoring_case(received.domain, target.host)) {
    throw TestFailure("its Domain is a top-level domain");
  }
  if (cookie.secure && !target.secure) {
    throw TestFailure(
        "it is Secure, and the request was sent over http. If a proxy ends TLS, send X-Forwarded-Proto: "
        "https with the request");
  }
  const std::string prefix = in_lower_case(cookie.name).substr(0, 9);
  const bool of_host = prefix.starts_with("__host-");
  if ((of_host || prefix == "__secure-") && !cookie.secure) throw TestFailure("its name requires Secure");
  if (of_host && !received.domain.empty()) throw TestFailure("its name forbids Domain");
  if (of_host && cookie.path != "/") throw TestFailure("its name requires Path=/");
}

}  // namespace

namespace testing {

CookieTarget cookie_target(std::string_view host, std::string_view target, std::string_view proto) {
  const bool bracketed = host.starts_with('[');
  CookieTarget result{.host = in_lower_case(host.substr(0, host.find(':', bracketed ? host.find(']') : 0))),
                      .path = std::string(target.substr(0, target.find('?')))};
  result.secure = proto.empty() ? result.host == "test" || result.host == "localhost"
                                : equal_ignoring_case(message::take_list_element(proto), "https");
  return result;
}

}  // namespace testing

std::optional<std::string_view> TestCookies::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(cookies_, name, &TestCookie::name);
  if (found == cookies_.end()) return std::nullopt;
  return found->value;
}

void TestCookies::set(TestCookie cookie) {
  const auto same = std::ranges::find_if(cookies_, [&](const TestCookie& other) {
    return other.name == cookie.name && other.domain == cookie.domain && other.path == cookie.path;
  });
  if (same != cookies_.end()) {  // a cookie that is replaced keeps its place (RFC 6265 section 5.3, step 11)
    *same = std::move(cookie);
    return;
  }
  const auto after =
      std::ranges::find_if(cookies_, [&](const TestCookie& other) { return other.path.size() < cookie.path.size(); });
  cookies_.insert(after, std::move(cookie));
}

void TestCookies::erase(std::string_view name) noexcept {
  std::erase_if(cookies_, [name](const TestCookie& cookie) { return cookie.name == name; });
}

void TestCookies::receive(std::string_view set_cookie, const testing::CookieTarget& target,
                          std::chrono::sys_seconds now) {
  try {
    ReceivedCookie received = read_set_cookie(set_cookie, target, now);
    require_acceptable(received, target);
    if (!received.domain.empty()) {
      received.cookie.domain = in_lower_case(received.domain);
      received.cookie.host_only = !received.domain.contains('.');
    }
    set(std::move(received.cookie));
  } catch (const TestFailure& failure) {
    throw TestFailure("browsers ignore the cookie \"" + std::string(set_cookie) + "\": " + failure.what());
  }
  std::erase_if(cookies_, [now](const TestCookie& cookie) { return cookie.expires && *cookie.expires <= now; });
}

std::vector<TestCookie> TestCookies::for_request(const testing::CookieTarget& target, std::chrono::sys_seconds now) {
  std::erase_if(cookies_, [now](const TestCookie& cookie) { return cookie.expires && *cookie.expires <= now; });
  std::vector<TestCookie> sent;
  std::ranges::copy_if(cookies_, std::back_inserter(sent), [&](const TestCookie& cookie) {
    const bool to_host = cookie.host_only ? cookie.domain == target.host : domain_matches(target.host, cookie.domain);
    return to_host && path_matches(target.path, cookie.path) && (target.secure || !cookie.secure);
  });
  return sent;
}

}  // namespace volt::http
