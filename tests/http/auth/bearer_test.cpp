// SPDX-License-Identifier: MIT

#include "http/auth/bearer.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::auth {
TEST_SUITE_BEGIN("http/auth/bearer");

TEST_CASE("a b64token follows the scheme (RFC 6750 section 2.1)") {
  const std::string none = "none";
  const struct {
    std::string why, value, want;
  } cases[] = {
      {"the RFC's example", "Bearer mF_9.B5f-4.1JqM", "mF_9.B5f-4.1JqM"},
      {"the scheme is case-insensitive", "bearer x", "x"},
      {"spaces", "BEARER   x", "x"},
      {"padding", "Bearer abc==", "abc=="},
      {"every byte that a token may contain", "Bearer aZ09-._~+/=", "aZ09-._~+/="},
      {"empty", "", none},
      {"no token", "Bearer", none},
      {"only a space", "Bearer ", none},
      {"only padding", "Bearer ==", none},
      {"padding inside", "Bearer a=b", none},
      {"another scheme", "Basic x", none},
      {"two tokens", "Bearer a b", none},
      {"a comma", "Bearer a,b", none},
      {"a quote", "Bearer \"a\"", none},
      {"a space after the token", "Bearer a ", none},
      {"a byte above ASCII", "Bearer \xc3\xa9", none},
  };
  for (const auto& [why, value, want] : cases) {
    CAPTURE(why);
    CHECK(std::string(parse_bearer(value).value_or(none)) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::auth
