// SPDX-License-Identifier: MIT

#include "http/cookies/cookie_keys.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "http/web/response.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_SUITE_BEGIN("http/cookie_keys");

TEST_CASE("values are sealed with the first secret, and opened with any, for their name and until they expire") {
  const std::string old_secret(32, 'a'), new_secret(32, 'b');
  const CookieKeys old_keys({old_secret}), both({new_secret, old_secret}), new_keys({new_secret});
  const std::string sealed = old_keys.sign("theme", "dark", 1h), encrypted = old_keys.encrypt("theme", "dark", 1h);
  CHECK(both.verify("theme", sealed) == "dark");
  CHECK(both.decrypt("theme", encrypted) == "dark");
  CHECK(new_keys.verify("theme", sealed).error() == SealError::forged);
  CHECK(new_keys.decrypt("theme", encrypted).error() == SealError::forged);
  CHECK(new_keys.verify("theme", both.sign("theme", "light", 1h)) == "light");
  CHECK(both.verify("other", sealed).error() == SealError::forged);
  CHECK(both.verify("theme", encrypted).error() == SealError::forged);
  CHECK(both.verify("theme", both.sign("theme", "dark", 0s)).error() == SealError::expired);
  CHECK(both.decrypt("theme", "").error() == SealError::malformed);
}

TEST_CASE("a short secret, and an empty list of secrets, are refused") {
  CHECK_THROWS_AS(CookieKeys({std::string(31, 'a')}), std::invalid_argument);
  CHECK_THROWS_AS(CookieKeys(std::span<const std::string>()), std::invalid_argument);
  CHECK(CookieKeys::random().verify("a", CookieKeys::random().sign("a", "b", 1h)).error() == SealError::forged);
}

TEST_SUITE_END();
}  // namespace volt::http
