// SPDX-License-Identifier: MIT

#include "http/cookies/cookies.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/message/ascii.h"
#include "http/message/http_date.h"

namespace volt::http {
namespace {

// The bytes of a cookie value: cookie-octet, RFC 6265 section 4.1.1.
constexpr message::ByteSet kCookieOctets([](char c) {
  return c > 0x20 && c < 0x7f && !message::contains("\",;\\", c);
});

// The bytes of an attribute: av-octet, as defined by the draft that revises RFC 6265.
constexpr message::ByteSet kAttributeOctets([](char c) { return c >= 0x20 && c < 0x7f && c != ';'; });

constexpr message::ByteSet kDomainChars([](char c) {
  return message::is_alpha(c) || message::is_digit(c) || c == '-' || c == '.';
});

bool holds_only(const message::ByteSet& allowed, std::string_view text) noexcept {
  return std::ranges::all_of(text, [&](char c) { return allowed.contains(c); });
}

// Compares case-insensitively, as some clients do: such a client would drop a cookie called `__host-` that does not
// meet the conditions of the prefix `__Host-`.
bool has_prefix(std::string_view name, std::string_view prefix) noexcept {
  return message::equal_ignoring_case(name.substr(0, prefix.size()), prefix);
}

void require(bool condition, const char* sentence) {
  if (!condition) throw std::invalid_argument(sentence);
}

std::string_view to_text(SameSite policy) noexcept {
  switch (policy) {
    case SameSite::strict:
      return "Strict";
    case SameSite::lax:
      return "Lax";
    case SameSite::none:
      return "None";
  }
  std::unreachable();
}

}  // namespace

SetCookie::SetCookie(std::string_view name, std::string_view value) : name_(name), value_(value) {
  require(message::is_token(name), "cookie name is not a token");
  require(holds_only(kCookieOctets, value), "cookie value contains a byte that a cookie cannot carry");
  require(name.size() + value.size() <= kNameAndValueBytesMax, "cookie exceeds the 4096 bytes that clients keep");
}

SetCookie SetCookie::expire(std::string_view name) {
  SetCookie cookie(name, "");
  cookie.max_age(std::chrono::seconds(0)).expires(std::chrono::sys_seconds());
  return cookie;
}

SetCookie& SetCookie::path(std::string_view path) {
  require(path.starts_with('/'), "cookie path does not begin with a slash");
  require(holds_only(kAttributeOctets, path), "cookie path contains a byte that an attribute cannot carry");
  require(path.size() <= kAttributeBytesMax, "cookie path exceeds the 1024 bytes that clients accept");
  path_ = path;
  return *this;
}

SetCookie& SetCookie::domain(std::string_view domain) {
  require(!domain.empty() && holds_only(kDomainChars, domain), "cookie domain is not a host name");
  require(!domain.starts_with('.') && !domain.ends_with('.'), "cookie domain begins or ends with a dot");
  require(domain.size() <= kAttributeBytesMax, "cookie domain exceeds the 1024 bytes that clients accept");
  domain_ = domain;
  return *this;
}

SetCookie& SetCookie::max_age(std::chrono::seconds age) noexcept {
  max_age_ = std::max(age, std::chrono::seconds(0));  // RFC 6265 section 4.1.1 allows no sign.
  return *this;
}

SetCookie& SetCookie::expires(std::chrono::sys_seconds time) noexcept {
  expires_ = time;
  return *this;
}

SetCookie& SetCookie::secure(bool on) noexcept {
  secure_ = on;
  return *this;
}

SetCookie& SetCookie::http_only(bool on) noexcept {
  http_only_ = on;
  return *this;
}

SetCookie& SetCookie::same_site(SameSite policy) noexcept {
  same_site_ = policy;
  return *this;
}

SetCookie& SetCookie::partitioned(bool on) noexcept {
  partitioned_ = on;
  return *this;
}

std::string SetCookie::to_string() const {
  require_consistent();
  std::string text = name_ + "=" + value_ + "; Path=" + path_;
  if (!domain_.empty()) text += "; Domain=" + domain_;
  if (max_age_) text += "; Max-Age=" + std::to_string(max_age_->count());
  if (expires_) text.append("; Expires=").append(message::HttpDate(*expires_).view());
  if (secure_) text += "; Secure";
  if (http_only_) text += "; HttpOnly";
  text.append("; SameSite=").append(to_text(same_site_));
  if (partitioned_) text += "; Partitioned";
  return text;
}

void SetCookie::require_consistent() const {
  const bool for_host = has_prefix(name_, "__Host-");
  require(secure_ || same_site_ != SameSite::none, "a cookie with SameSite=None must be secure");
  require(secure_ || !partitioned_, "a partitioned cookie must be secure");
  require(secure_ || !has_prefix(name_, "__Secure-"), "a cookie whose name begins with __Secure- must be secure");
  require(secure_ || !for_host, "a cookie whose name begins with __Host- must be secure");
  require(!for_host || domain_.empty(), "a cookie whose name begins with __Host- must not have a domain");
  require(!for_host || path_ == "/", "a cookie whose name begins with __Host- must have the path /");
}

}  // namespace volt::http
