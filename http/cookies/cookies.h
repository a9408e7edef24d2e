// A cookie for the client to keep: the value of a Set-Cookie field (RFC 6265 section 4.1, and its revision, the draft
// "Cookies: HTTP State Management Mechanism", for SameSite and the name prefixes).
//
//   response.add_header("set-cookie", SetCookie("session", id).max_age(30min).to_string());
//
// The defaults are those of a session's cookie: the whole site, sent over TLS only, out of reach of scripts, and not
// sent along with requests that other sites make other than by a link.
//
// Threads: a value, used by one thread at a time.
// Errors: each member throws std::invalid_argument for text that the attribute cannot hold, to_string() for attributes
// that contradict each other: clients drop such cookies without a word.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http {

enum class SameSite : std::uint8_t {
  strict,  // never sent with a request that another site began
  lax,     // only when the user follows a link
  none,    // always; must be secure
};

class SetCookie {
 public:
  static constexpr std::size_t kNameAndValueBytesMax = 4096;  // clients drop longer ones
  static constexpr std::size_t kAttributeBytesMax = 1024;     // and ignore longer attributes

  // `name` is a token. `value` holds visible ASCII but quote, comma, semicolon and backslash; encode anything else.
  SetCookie(std::string_view name, std::string_view value);

  // Tells the client to forget a cookie. Path and domain must be those it was set with.
  static SetCookie expire(std::string_view name);

  // Begins with '/'; "/" is the default. No control, no semicolon.
  SetCookie& path(std::string_view path);
  // The host and all below it: `example.com`. Without it the cookie goes to the very host that set it.
  SetCookie& domain(std::string_view domain);
  // Zero or less removes the cookie. Without it and expires() the cookie lasts as long as the client's session.
  SetCookie& max_age(std::chrono::seconds age) noexcept;
  // max_age() wins where both are set, and needs no clock to be right.
  SetCookie& expires(std::chrono::sys_seconds time) noexcept;
  SetCookie& secure(bool on = true) noexcept;     // default on; off only for plain HTTP in development
  SetCookie& http_only(bool on = true) noexcept;  // default on; off if scripts are to read it
  SetCookie& same_site(SameSite policy) noexcept;
  // A jar of its own below each top-level site; must be secure.
  SetCookie& partitioned(bool on = true) noexcept;

  const std::string& name() const noexcept { return name_; }
  const std::string& value() const noexcept { return value_; }

  // The field's value. Throws std::invalid_argument if a cookie that SameSite=None, Partitioned or the name prefix
  // `__Secure-` or `__Host-` makes secure is not, or if one named `__Host-` has a domain or a path but "/".
  std::string to_string() const;

 private:
  void require_consistent() const;

  std::string name_;
  std::string value_;
  std::string path_ = "/";
  std::string domain_;  // empty: none
  std::optional<std::chrono::seconds> max_age_;
  std::optional<std::chrono::sys_seconds> expires_;
  SameSite same_site_ = SameSite::lax;
  bool secure_ = true;
  bool http_only_ = true;
  bool partitioned_ = false;
};

}  // namespace volt::http
