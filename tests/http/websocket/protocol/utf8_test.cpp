// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/utf8.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace volt::http::websocket {
namespace {

enum class Verdict { valid, incomplete, invalid };

Verdict judge(std::string_view text, std::size_t cut) {
  Utf8Validator validator;
  const bool first = validator.feed(text.substr(0, cut));
  const bool second = validator.feed(text.substr(cut));
  if (!first) CHECK_FALSE(second);  // The failure persists.
  if (!second) {
    CHECK_FALSE(validator.complete());
    return Verdict::invalid;
  }
  return validator.complete() ? Verdict::valid : Verdict::incomplete;
}

// Encodes each code point in its only valid way; independent of the validator's implementation.
std::string encode(std::uint32_t point) {
  if (point < 0x80) return {static_cast<char>(point)};
  std::string tail;
  std::uint32_t lead_max = 0x3f;
  std::uint32_t lead_bits = 0x80;
  do {
    tail.insert(tail.begin(), static_cast<char>(0x80 | (point & 0x3f)));
    point >>= 6;
    lead_max >>= 1;
    lead_bits = 0x80 | lead_bits >> 1;
  } while (point > lead_max);
  return static_cast<char>(lead_bits | point) + tail;
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/protocol/utf8");

TEST_CASE("every code point except the surrogates is valid, RFC 3629 section 3") {
  for (std::uint32_t point = 0; point <= 0x10ffff; ++point) {
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (is_utf8(encode(point)) == !surrogate) continue;
    CAPTURE(point);
    CHECK(is_utf8(encode(point)) == !surrogate);
  }
  CHECK_FALSE(is_utf8(encode(0x110000)));
}

TEST_CASE("text is valid, incomplete or invalid, wherever it is split") {
  using enum Verdict;
  const struct {
    std::string why;
    std::string text;
    Verdict want;
  } cases[] = {
      {"nothing", "", valid},
      {"ASCII of several machine words", "The quick brown fox jumps over the lazy dog", valid},
      {"a NUL", std::string("a\0b", 3), valid},
      {"RFC 3629 section 7", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", valid},
      {"ASCII around it, across a machine word", "0123456\xce\xbaxyzuvwx\xe1\xbd\xb9uvwxuvwx\xf0\x9f\x98\x80!", valid},
      {"a non-character is a code point", "\xef\xbf\xbf", valid},
      {"the largest code point", "\xf4\x8f\xbf\xbf", valid},
      {"the beginning of two bytes", "\xce", incomplete},
      {"the beginning of three bytes", "\xe6\x97", incomplete},
      {"the beginning of four bytes", "01234567\xf0\x9f\x98", incomplete},
      {"a continuation first", "\x80", invalid},
      {"a continuation too many", "\xce\xba\xba", invalid},
      {"a continuation missing", "\xcex", invalid},
      {"a lead within a character", "\xe6\x97\xce\xba", invalid},
      {"overlong two", "\xc0\x80", invalid},
      {"overlong two, last", "\xc1\xbf", invalid},
      {"overlong three", "\xe0\x80\x80", invalid},
      {"overlong three, last", "\xe0\x9f\xbf", invalid},
      {"overlong four", "\xf0\x80\x80\x80", invalid},
      {"overlong four, last", "\xf0\x8f\xbf\xbf", invalid},
      {"first surrogate", "\xed\xa0\x80", invalid},
      {"last surrogate", "\xed\xbf\xbf", invalid},
      {"above the largest code point", "\xf4\x90\x80\x80", invalid},
      {"a lead byte of more than four bytes", "\xf8\x88\x80\x80\x80", invalid},
      {"fe", "\xfe", invalid},
      {"0xff after a machine word of ASCII", "01234567\xff", invalid},
      {"a surrogate, shown by its second byte", "\xed\xa0", invalid},
      {"too large, shown by its second byte", "\xf4\x90", invalid},
      {"overlong, shown by its second byte", "\xe0\x9f", invalid},
      {"later bytes do not make the text valid", "\xffxxxxaaaaaaaaaaaaaaa", invalid},
      {"continuation bytes do not make the text valid", "\xe6x\x80\x80xyz", invalid},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      CAPTURE(cut);
      CHECK(judge(text, cut) == want);
    }
  }
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
