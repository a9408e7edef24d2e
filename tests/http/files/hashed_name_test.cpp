// SPDX-License-Identifier: MIT

#include "http/files/hashed_name.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::files {

TEST_SUITE_BEGIN("http/files/hashed_name");

TEST_CASE("the hash stands before the last extension of a name") {
  const std::string hash = "0123456789abcdef";
  const struct {
    std::string_view name;
    std::string_view hashed;
  } cases[] = {
      {"app.css", "app.0123456789abcdef.css"},
      {"js/app.min.js", "js/app.min.0123456789abcdef.js"},
      {"LICENSE", "LICENSE.0123456789abcdef"},
      {"a.b/LICENSE", "a.b/LICENSE.0123456789abcdef"},
  };
  for (const auto& [name, hashed] : cases) {
    CAPTURE(name);
    CHECK(with_hash(name, hash) == hashed);
    const auto parts = without_hash(hashed);
    REQUIRE(parts.has_value());
    CHECK(parts->name == name);
    CHECK(parts->hash == hash);
  }
  for (const std::string_view name : {"app.css", "app.0123456789ABCDEF.css", "app.0123456789abcde.css", "a/b", "",
                                      "0123456789abcdef.css", "x.0123456789abcdef/app.css"}) {
    CAPTURE(name);
    CHECK(!without_hash(name));
  }
}

TEST_CASE("the hash of a content is the begin of its SHA-256") {
  CHECK(content_hash("") == "e3b0c44298fc1c14");
  CHECK(content_hash("a{}") == "5f546eb4606b5c2b");
}

TEST_SUITE_END();

}  // namespace volt::http::files
