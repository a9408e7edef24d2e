#include "http/message/percent.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/percent");

TEST_CASE("escapes are decoded once, and malformed ones stay or are refused") {
  const struct {
    std::string why;
    std::string text;
    std::string decoded;
    bool well_formed;
  } cases[] = {
      {"nothing", "", "", true},
      {"nothing escaped", "a/b+c", "a/b+c", true},
      {"either case of the digits", "%2f%2F%aB", "//\xab", true},
      {"a NUL is a byte", "a%00b", std::string("a\0b", 3), true},
      {"bytes of UTF-8", "%E2%82%AC", "€", true},
      {"one pass only", "%2541", "%41", true},
      {"a '%' at the end", "a%", "a%", false},
      {"half an escape", "a%4", "a%4", false},
      {"no digits", "%zz", "%zz", false},
      {"one digit", "%4g", "%4g", false},
      {"a '%' before an escape", "%%41", "%A", false},
      {"an escape cut by an escape", "%4%41", "%4A", false},
  };
  for (const auto& [why, text, decoded, well_formed] : cases) {
    CAPTURE(why);
    CHECK(percent_decode(text) == decoded);
    CHECK(percent_decode_strict(text).has_value() == well_formed);
    if (well_formed) CHECK(percent_decode_strict(text) == decoded);
  }
}

TEST_CASE("in a form '+' is a space and an escaped plus is a plus") {
  CHECK(form_decode("a+b%2Bc%20d") == "a b+c d");
  CHECK(form_decode("+%+") == " % ");
  CHECK(form_decode("").empty());
}

TEST_CASE("everything but unreserved is escaped, in upper case") {
  CHECK(percent_encode("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encode("/?#[]@!$&'()*+,;=% \"") == "%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%20%22");
  std::string out = "x=";
  append_percent_encoded("é", out);
  CHECK(out == "x=%C3%A9");
}

TEST_CASE("what was encoded decodes to itself, for every byte") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const std::string text(2, static_cast<char>(byte));
    CHECK(percent_decode_strict(percent_encode(text)) == text);
    CHECK(form_decode(percent_encode(text)) == text);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::message
