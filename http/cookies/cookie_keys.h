// CookieKeys: secrets by which a cookie's value is signed (the client can read it, not alter it) or encrypted (neither).
//
//   const http::CookieKeys keys({secret_from_environment});
//   response.cookie(SetCookie("theme", keys.sign("theme", "dark", 24h)));
//   const auto theme = keys.verify("theme", request.cookie("theme").value_or(""));
//
// A value is bound to its cookie's name, and ends at a time that is inside. What it cannot do is be taken back: it is
// good until then, however often it is sent (http/middleware/session.h has sessions that end when they are told to).
//
// To rotate, put the new secret first, and drop the old one when the last of its values has ended.
//
// Threads: an immutable value that is cheap to copy; any.
#pragma once

#include <chrono>
#include <expected>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/secret_key.h"
#include "http/cookies/internal/sealed_value.h"

namespace volt::http {

using cookies::SealError;

class CookieKeys {
 public:
  // The first secret seals, all open. Each is at least 32 bytes that nobody can guess, such as `openssl rand -hex 32`
  // prints; no password. Throws std::invalid_argument for a shorter one, and for none.
  explicit CookieKeys(std::initializer_list<std::string_view> secrets);
  explicit CookieKeys(std::span<const std::string> secrets);
  // Good until the process ends: for tests, and where nobody minds.
  static CookieKeys random();

  [[nodiscard]] std::string sign(std::string_view name, std::string_view value, std::chrono::seconds life_time) const;
  [[nodiscard]] std::expected<std::string, SealError> verify(std::string_view name, std::string_view text) const;

  [[nodiscard]] std::string encrypt(std::string_view name, std::string_view value,
                                    std::chrono::seconds life_time) const;
  [[nodiscard]] std::expected<std::string, SealError> decrypt(std::string_view name, std::string_view text) const;

  [[nodiscard]] const std::vector<crypto::SecretKey>& ring() const noexcept { return ring_; }

 private:
  explicit CookieKeys(std::vector<crypto::SecretKey> ring);

  std::vector<crypto::SecretKey> ring_;
  std::shared_ptr<const cookies::ValueSealer> sealer_;
};

}  // namespace volt::http
