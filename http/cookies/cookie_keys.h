// SPDX-License-Identifier: MIT

// CookieKeys: secrets that sign a cookie's value (the client can read but not alter it) or encrypt it (the client can
// do neither).
//
//   const http::CookieKeys keys({secret_from_environment});
//   response.cookie(SetCookie("theme", keys.sign("theme", "dark", 24h)));
//   const auto theme = keys.verify("theme", request.cookie("theme").value_or(""));
//
// A value is bound to its cookie's name and contains the time at which it expires. A value cannot be revoked: it is
// valid until it expires, however often it is sent (http/middleware/session.h has sessions that can be ended).
//
// To rotate secrets, put the new secret first, and drop the old secret when the last of its values has expired.
//
// Threads: an immutable value that is cheap to copy; used by any thread.
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
#include "http/cookies/seal_error.h"

namespace volt::http {

namespace cookies {
class ValueSealer;
}
using cookies::SealError;

class CookieKeys {
 public:
  // The first secret seals new values; all secrets open existing ones. Each secret must consist of at least 32 bytes of
  // random data, such as the output of `openssl rand -hex 32`, not a password. Throws std::invalid_argument for a
  // shorter secret and for an empty list.
  explicit CookieKeys(std::initializer_list<std::string_view> secrets);
  explicit CookieKeys(std::span<const std::string> secrets);
  // Makes keys from a random secret, which is lost when the process ends. Use it in tests, and where losing the
  // cookies' values is acceptable.
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
