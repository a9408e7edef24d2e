// SPDX-License-Identifier: MIT

#include "http/auth/basic.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/base64.h"
#include "crypto/bytes.h"

namespace volt::http::auth {
namespace {

std::string basic(std::string_view text) { return "Basic " + crypto::base64_encode(crypto::as_bytes(text)); }

}  // namespace

TEST_SUITE_BEGIN("http/auth/basic");

TEST_CASE("the examples of RFC 7617 are parsed") {
  const auto section_2 = parse_basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  REQUIRE(section_2);
  CHECK(section_2->user == "Aladdin");
  CHECK(section_2->password == "open sesame");
  const auto section_2_1 = parse_basic("Basic dGVzdDoxMjPCow==");
  REQUIRE(section_2_1);
  CHECK(section_2_1->user == "test");
  CHECK(section_2_1->password == "123\xc2\xa3");
}

TEST_CASE("the first colon ends the user; user and password may be empty") {
  const struct {
    std::string text, user, password;
  } cases[] = {{"a:b:c", "a", "b:c"}, {":secret", "", "secret"}, {"a:", "a", ""}, {":", "", ""}};
  for (const auto& [text, user, password] : cases) {
    CAPTURE(text);
    const auto credentials = parse_basic(basic(text));
    REQUIRE(credentials);
    CHECK(credentials->user == user);
    CHECK(credentials->password == password);
  }
}

TEST_CASE("malformed Basic credentials are rejected") {
  const struct {
    std::string why, value;
  } cases[] = {
      {"empty", ""},
      {"only the scheme", "Basic"},
      {"nothing after the scheme", "Basic "},
      {"another scheme", "Bearer QTpi"},
      {"a longer scheme", "Basics QTpi"},
      {"no space", "BasicQTpi"},
      {"a tab", "Basic\tQTpi"},
      {"two words", "Basic QTpi QTpi"},
      {"a parameter", "Basic realm=\"a\""},
      {"no colon", basic("Aladdin")},
      {"padding missing", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ"},
      {"stray bits", "Basic QTph=="},
      {"base64url", "Basic QTpi-_=="},
      {"a control character", basic("a:b\n")},
      {"NUL", basic(std::string("a:b\0", 4))},
      {"DEL", basic("a:b\x7f")},
  };
  for (const auto& [why, value] : cases) {
    CAPTURE(why);
    CHECK_FALSE(parse_basic(value));
  }
  CHECK(parse_basic("bAsIc   QTpi"));  // Case-insensitive (RFC 9110 section 11.1), 1*SP.
}

TEST_CASE("credentials are equal if user and password are equal") {
  const BasicCredentials credentials{"Aladdin", "open sesame"};
  CHECK(credentials.equal("Aladdin", "open sesame"));
  CHECK_FALSE(credentials.equal("Aladdin", "open sesam"));
  CHECK_FALSE(credentials.equal("aladdin", "open sesame"));
  CHECK_FALSE(credentials.equal("Aladdino", "pen sesame"));
  CHECK_FALSE(credentials.equal("", ""));
}

TEST_SUITE_END();
}  // namespace volt::http::auth
