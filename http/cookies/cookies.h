// SPDX-License-Identifier: MIT

// SetCookie: the value of a Set-Cookie field (RFC 6265 section 4.1, and its revision, the draft "Cookies: HTTP State
// Management Mechanism", for SameSite and the name prefixes).
//
//   response.add_header("Set-Cookie", SetCookie("session", id).max_age(30min).to_string());
//
// The defaults suit a session cookie. It applies to the whole site, is sent over TLS only, and is not accessible to
// scripts. With requests that other sites start, it is sent only when the user follows a link.
//
// Threads: a value, used by one thread at a time.
// Errors: each member throws std::invalid_argument for text that the attribute cannot hold. to_string() throws it for
// attributes that contradict each other, because clients silently drop such cookies.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http {

enum class SameSite : std::uint8_t {
  strict,  // Never sent with a request that another site started.
  lax,     // Sent with such a request only when the user follows a link.
  none,    // Always sent; the cookie must be secure.
};

class SetCookie {
 public:
  static constexpr std::size_t kNameAndValueBytesMax = 4096;  // Clients drop longer cookies.
  static constexpr std::size_t kAttributeBytesMax = 1024;     // Clients ignore longer attributes.

  // `name` must be a token. `value` may contain visible ASCII except quote, comma, semicolon and backslash; encode
  // other text.
  SetCookie(std::string_view name, std::string_view value);

  // Makes a cookie without a value that has already expired: a client that receives it deletes its cookie called
  // `name`. Path and domain must be those of the cookie to delete.
  static SetCookie expire(std::string_view name);

  // Must begin with '/' and contain no control character or semicolon. The default is "/".
  SetCookie& path(std::string_view path);
  // The host, such as `example.com`, and all hosts below it. By default the client sends the cookie only to the host
  // that set it.
  SetCookie& domain(std::string_view domain);
  // Zero or less deletes the cookie. Without max_age() and expires() the cookie lasts as long as the client's session.
  SetCookie& max_age(std::chrono::seconds age) noexcept;
  // If max_age() is set too, clients ignore the time given here. max_age() does not depend on the client's clock.
  SetCookie& expires(std::chrono::sys_seconds time) noexcept;
  SetCookie& secure(bool on = true) noexcept;     // On by default; off only for plain HTTP in development.
  SetCookie& http_only(bool on = true) noexcept;  // On by default; off if scripts must read the cookie.
  SetCookie& same_site(SameSite policy) noexcept;
  // Stores the cookie separately for each top-level site (a partitioned cookie); the cookie must be secure.
  SetCookie& partitioned(bool on = true) noexcept;

  const std::string& name() const noexcept { return name_; }
  const std::string& value() const noexcept { return value_; }

  // The value of the field. Throws std::invalid_argument if SameSite=None, Partitioned or the name prefix `__Secure-`
  // or `__Host-` requires a secure cookie and the cookie is not, or if a cookie named `__Host-` has a domain or a path
  // other than "/".
  std::string to_string() const;

 private:
  void require_consistent() const;

  std::string name_;
  std::string value_;
  std::string path_ = "/";
  std::string domain_;  // Empty: no Domain attribute.
  std::optional<std::chrono::seconds> max_age_;
  std::optional<std::chrono::sys_seconds> expires_;
  SameSite same_site_ = SameSite::lax;
  bool secure_ = true;
  bool http_only_ = true;
  bool partitioned_ = false;
};

}  // namespace volt::http
