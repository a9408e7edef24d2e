// SPDX-License-Identifier: MIT

#include "crypto/base64.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "crypto/bytes.h"
#include "tests/crypto/hex.h"

namespace volt::crypto {
namespace {

std::string text_of(const std::optional<std::vector<std::byte>>& bytes) {
  return bytes ? std::string(as_text(*bytes)) : "refused";
}

}  // namespace

TEST_SUITE_BEGIN("crypto/base64");

TEST_CASE("the vectors of RFC 4648 section 10 encode and decode") {
  const struct {
    std::string data, base64, base64url;
  } cases[] = {
      {"", "", ""},
      {"f", "Zg==", "Zg"},
      {"fo", "Zm8=", "Zm8"},
      {"foo", "Zm9v", "Zm9v"},
      {"foob", "Zm9vYg==", "Zm9vYg"},
      {"fooba", "Zm9vYmE=", "Zm9vYmE"},
      {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
      {"\xfb\xff\xbf", "+/+/", "-_-_"},
  };
  for (const auto& [data, base64, base64url] : cases) {
    CAPTURE(data);
    CHECK(base64_encode(as_bytes(data)) == base64);
    CHECK(text_of(base64_decode(base64)) == data);
    CHECK(base64url_encode(as_bytes(data)) == base64url);
    CHECK(text_of(base64url_decode(base64url)) == data);
  }
}

TEST_CASE("the example of RFC 7515 appendix C encodes and decodes") {
  CHECK(base64url_encode(from_hex("03ecffe0c1")) == "A-z_4ME");
  CHECK(base64url_decode("A-z_4ME") == from_hex("03ecffe0c1"));
}

TEST_CASE("every byte survives a round trip at every position of a group") {
  for (unsigned value = 0; value < 256; ++value) {
    for (std::size_t place = 0; place < 5; ++place) {
      std::vector<std::byte> data(5);
      data[place] = static_cast<std::byte>(value);
      CHECK(base64_decode(base64_encode(data)) == data);
      CHECK(base64url_decode(base64url_encode(data)) == data);
    }
  }
}

TEST_CASE("text that no encoder writes is rejected") {
  using namespace std::string_literals;
  const struct {
    std::string why, text;
  } cases[] = {
      {"one digit", "Z"},
      {"no padding", "Zg"},
      {"half the padding", "Zg="},
      {"padding where none belongs", "Zm9v===="},
      {"too much padding", "Zg==="},
      {"only padding", "===="},
      {"padding without digits", "=="},
      {"padding inside", "Zg==Zg=="},
      {"padding before the last digit", "Zm=v"},
      {"stray bits after one byte", "Zh=="},
      {"stray bits after two bytes", "Zm9="},
      {"a line break (RFC 4648 section 3.1)", "Zm9v\r\nZm9v"},
      {"a space", "Zm9v Zm9"},
      {"the other alphabet", "-_-_"},
      {"NUL", "Zm9\0"s},
      {"a byte above ASCII", "Zm9\xc3"},
      {"the control character DEL", "Zm9\x7f"},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CHECK_FALSE(base64_decode(text));
  }
}

TEST_CASE("base64url has no padding and its own alphabet") {
  for (const std::string text : {"Z", "Zg==", "Zm8=", "+/+/", "Zh", "Zm9", "Zm9vZ", "Zm 9", "Zm9v\n", "="}) {
    CAPTURE(text);
    CHECK_FALSE(base64url_decode(text));
  }
}

TEST_CASE("a last digit is accepted only if its unused bits are zero") {
  std::size_t after_one_byte = 0;
  std::size_t after_two_bytes = 0;
  for (int c = 0; c < 256; ++c) {
    const char digit = static_cast<char>(c);
    after_one_byte += base64url_decode(std::string("A") + digit).has_value();
    after_two_bytes += base64url_decode(std::string("AA") + digit).has_value();
  }
  CHECK(after_one_byte == 4);
  CHECK(after_two_bytes == 16);
}

TEST_SUITE_END();
}  // namespace volt::crypto
