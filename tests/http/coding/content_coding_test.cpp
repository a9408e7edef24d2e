// SPDX-License-Identifier: MIT

#include "http/coding/content_coding.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/content_coding");

TEST_CASE("names are case-insensitive, RFC 9110 section 8.4.1") {
  using enum ContentCoding;
  const struct {
    std::string why;
    std::string token;
    std::optional<ContentCoding> want;
  } cases[] = {
      {"gzip", "gzip", gzip},
      {"8.4.1.3: gzip's old name", "x-gzip", gzip},
      {"gzip's old name in capitals", "X-GZIP", gzip},
      {"br", "br", br},
      {"br in capitals", "BR", br},
      {"zstd", "Zstd", zstd},
      {"deflate", "deflate", deflate},
      {"identity", "Identity", identity},
      {"compress is not supported", "compress", {}},
      {"nothing", "", {}},
      {"the wildcard is not a coding", "*", {}},
      {"a beginning of a name", "gzi", {}},
      {"a longer name", "gzip2", {}},
      {"white space is not part of a name", " gzip", {}},
  };
  for (const auto& [why, token, want] : cases) {
    CAPTURE(why);
    CHECK(content_coding_from_token(token) == want);
  }
}

TEST_CASE("a coding's name is parsed as that coding") {
  for (std::size_t i = 0; i < kContentCodings; ++i) {
    const auto coding = static_cast<ContentCoding>(i);
    CHECK(content_coding_from_token(to_string(coding)) == coding);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::coding
