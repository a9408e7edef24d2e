// SPDX-License-Identifier: MIT

#include "http/coding/coded_entity_tag.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/coded_entity_tag");

using enum ContentCoding;

TEST_CASE("each coding has its own weak tag, RFC 9110 section 8.8.3.3") {
  const struct {
    std::string why;
    std::string tag;
    ContentCoding coding;
    std::string want;
  } cases[] = {
      {"strong becomes weak", "\"abc\"", br, "W/\"abc-br\""},
      {"gzip", "\"abc\"", gzip, "W/\"abc-gzip\""},
      {"zstd", "\"abc\"", zstd, "W/\"abc-zstd\""},
      {"weak stays weak", "W/\"abc\"", gzip, "W/\"abc-gzip\""},
      {"an empty tag", "\"\"", gzip, "W/\"-gzip\""},
      {"identity changes nothing", "\"abc\"", identity, "\"abc\""},
      {"no quotes", "abc", gzip, "abc"},
      {"one quote", "\"", gzip, "\""},
      {"the weak prefix is a capital W", "w/\"abc\"", gzip, "w/\"abc\""},
      {"nothing", "", gzip, ""},
  };
  for (const auto& [why, tag, coding, want] : cases) {
    CAPTURE(why);
    CHECK(coded_entity_tag(tag, coding) == want);
  }
}

TEST_CASE("the tag of a coding leads back to the plain tag, in that coding only") {
  const struct {
    std::string why;
    std::string tag;
    ContentCoding coding;
    std::optional<std::string> want;
  } cases[] = {
      {"the tag's own coding", "W/\"abc-br\"", br, "W/\"abc\""},
      {"a tag that was made strong", "\"abc-br\"", br, "W/\"abc\""},
      {"another coding", "W/\"abc-br\"", gzip, {}},
      {"no coding", "\"abc\"", gzip, {}},
      {"nothing but the coding", "W/\"-gzip\"", gzip, "W/\"\""},
      {"identity: every tag is plain", "\"abc\"", identity, "\"abc\""},
      {"identity: a tag that looks like that of a coding", "\"abc-br\"", identity, "\"abc-br\""},
      {"not a tag", "abc-br", br, {}},
      {"If-None-Match: *", "*", br, {}},
      {"a beginning of a tag", "W/\"", br, {}},
  };
  for (const auto& [why, tag, coding, want] : cases) {
    CAPTURE(why);
    CHECK(plain_entity_tag(tag, coding) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::coding
