// SPDX-License-Identifier: MIT

#include "http/message/percent.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/percent");

TEST_CASE("escapes are decoded once, and malformed ones stay") {
  const struct {
    std::string why;
    std::string text;
    std::string decoded;
  } cases[] = {
      {"nothing", "", ""},
      {"nothing escaped", "a/b+c", "a/b+c"},
      {"either case of the digits", "%2f%2F%aB", "//\xab"},
      {"a NUL is a byte", "a%00b", std::string("a\0b", 3)},
      {"bytes of UTF-8", "%E2%82%AC", "€"},
      {"one pass only", "%2541", "%41"},
      {"a '%' at the end", "a%", "a%"},
      {"half an escape", "a%4", "a%4"},
      {"no digits", "%zz", "%zz"},
      {"one digit", "%4g", "%4g"},
      {"a '%' before an escape", "%%41", "%A"},
      {"an escape cut by an escape", "%4%41", "%4A"},
  };
  for (const auto& [why, text, decoded] : cases) {
    CAPTURE(why);
    CHECK(percent_decode(text) == decoded);
  }
}

TEST_CASE("in a form '+' is a space and an escaped plus is a plus") {
  CHECK(form_decode("a+b%2Bc%20d") == "a b+c d");
  CHECK(form_decode("+%+") == " % ");
  CHECK(form_decode("").empty());
}

TEST_CASE("all bytes except unreserved ones are escaped, in upper case") {
  CHECK(percent_encode("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encode("/?#[]@!$&'()*+,;=% \"") == "%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%20%22");
  std::string out = "x=";
  append_percent_encoded("é", out);
  CHECK(out == "x=%C3%A9");
}

TEST_CASE("every byte survives encoding and decoding") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const std::string text(2, static_cast<char>(byte));
    CHECK(percent_decode(percent_encode(text)) == text);
    CHECK(form_decode(percent_encode(text)) == text);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::message
