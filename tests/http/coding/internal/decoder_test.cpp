// SPDX-License-Identifier: MIT

#include "http/coding/internal/decoder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "http/coding/internal/encoder.h"
#include "tests/http/coding/sample_content.h"

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/internal/decoder");

namespace {

using namespace std::string_view_literals;
using enum ContentCoding;

std::unexpected<DecodeError> failed(DecodeError error) { return std::unexpected(error); }

// "hello" in the zlib format, and the raw deflate data inside it.
constexpr std::string_view kZlibHello = "\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15"sv;
constexpr std::string_view kRawHello = "\xcb\x48\xcd\xc9\xc9\x07\x00"sv;

// Returns a zstd frame of one empty block, whose header requests a window (RFC 8878 section 3.1.1.1.2).
std::string zstd_frame_with_window(char descriptor) {
  return std::string("\x28\xb5\x2f\xfd\x00"sv) + descriptor + std::string("\x01\x00\x00"sv);
}

std::string zstd_skippable_frame(std::string_view content) {
  return std::string("\x50\x2a\x4d\x18"sv) + static_cast<char>(content.size()) + std::string("\0\0\0"sv) +
         std::string(content);
}

struct Coded {
  ContentCoding coding;
  std::string bytes;
};

std::vector<Coded> all_codings_of(std::string_view content) {
  std::vector<Coded> all;
  for (const ContentCoding coding : kEncodable) all.push_back({coding, encode_whole(coding, content)});
  return all;
}

}  // namespace

TEST_CASE("content does not depend on how the input is split or how little room there is") {
  const std::string text = sample_text(300);
  std::vector<Coded> all = all_codings_of(text);
  for (const auto& [coding, bytes] : all) {
    CAPTURE(std::string(to_string(coding)));
    const std::string_view coded = bytes;
    for (std::size_t cut = 0; cut <= coded.size(); ++cut) {
      CAPTURE(cut);
      CHECK(decode_pieces(coding, {coded.substr(0, cut), coded.substr(cut)}, 7) == text);
    }
    for (const std::size_t room : {1, 2, 299, 300, 301}) {
      CAPTURE(room);
      CHECK(decode_pieces(coding, {coded}, room) == text);
      CHECK(decode_pieces(coding, bytes_apart(coded), room) == text);
    }
  }
}

TEST_CASE("one call produces at most the given room, and reports if there may be more") {
  const std::string text = sample_text(100000);
  for (const auto& [coding, bytes] : all_codings_of(text)) {
    CAPTURE(std::string(to_string(coding)));
    const auto decoder = make_decoder(coding, {});
    std::string out;
    const auto first = decoder->update(bytes, out, 50);
    REQUIRE(first.has_value());
    CHECK(out == text.substr(0, 50));
    CHECK(first->output_full);
    CHECK_FALSE(first->finished);
    const auto rest = decoder->update(std::string_view(bytes).substr(first->consumed), out, text.size());
    REQUIRE(rest.has_value());
    CHECK(rest->finished);
    CHECK(out == text);
  }
}

TEST_CASE("content cut off at any byte is truncated, and never malformed") {
  for (const auto& [coding, bytes] : all_codings_of(sample_text(300))) {
    CAPTURE(std::string(to_string(coding)));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CAPTURE(size);
      CHECK(decode_whole(coding, std::string_view(bytes).substr(0, size), {}) == failed(DecodeError::truncated));
    }
  }
  for (std::size_t size = 0; size < kZlibHello.size(); ++size) {
    CHECK(decode_whole(deflate, kZlibHello.substr(0, size), {}) == failed(DecodeError::truncated));
  }
}

TEST_CASE("formats are distinguished") {
  using enum DecodeError;
  const struct {
    std::string why;
    ContentCoding coding;
    std::string coded;
    std::expected<std::string, DecodeError> want;
  } cases[] = {
      {"9110 8.4.1.2: deflate is the zlib format", deflate, std::string(kZlibHello), "hello"},
      {"raw deflate is not the zlib format", deflate, std::string(kRawHello), failed(malformed)},
      {"gzip is not the zlib format", deflate, encode_whole(gzip, "hello"), failed(malformed)},
      {"1950 2.2: preset dictionaries are not supported", deflate, "\x78\xbb\x01\x02\x03\x04", failed(malformed)},
      {"zlib is not gzip", gzip, std::string(kZlibHello), failed(malformed)},
      {"1950: a wrong checksum", deflate, std::string(kZlibHello.substr(0, 12)) + "\x16", failed(malformed)},
      {"1952 2.3.1: a method that is not deflate", gzip, std::string("\x1f\x8b\x07\0"sv), failed(malformed)},
      {"1952 2.3.1: reserved flags", gzip, std::string("\x1f\x8b\x08\x20\0\0\0\0\0\x03"sv), failed(malformed)},
      {"text", gzip, "hello", failed(malformed)},
      {"text", zstd, "hello", failed(malformed)},
      {"text", deflate, "hello", failed(malformed)},
      {"7932 9.1: a large window", br, std::string("\x11\x18\x00\x00\x00\x00"sv), failed(malformed)},
      {"8878 3.1.1.1.2: the largest window", zstd, zstd_frame_with_window('\x68'), ""},
      {"8878 3.1.1.1.2: a window above the largest allowed", zstd, zstd_frame_with_window('\x69'),
       failed(window_too_large)},
      {"8878 3.1.1.1.2: the largest possible window", zstd, zstd_frame_with_window('\xff'), failed(window_too_large)},
      {"8878 3.1.1.1.3: dictionaries are not supported", zstd,
       std::string("\x28\xb5\x2f\xfd\x01\x00\x07\x01\x00\x00"sv), failed(malformed)},
      {"8878 3.1.1.1.4: less content than promised", zstd, std::string("\x28\xb5\x2f\xfd\x20\x40\x01\x00\x00"sv),
       failed(malformed)},
      {"8878 3.1.1.1.4: no content, as promised", zstd, std::string("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"sv), ""},
      {"an empty run, which libzstd accepts as a whole and refuses in pieces", zstd,
       std::string("\x28\xb5\x2f\xfd\x20\x00\x03\x00\x00\x29"sv), failed(malformed)},
      {"8878 3.1.2: skippable frames", zstd,
       zstd_skippable_frame("abc") + encode_whole(zstd, "hello") + zstd_skippable_frame(""), "hello"},
      {"empty input is not valid in any coding", br, "", failed(truncated)},
  };
  for (const auto& [why, coding, coded, want] : cases) {
    CAPTURE(why);
    CHECK(decode_whole(coding, coded, {}) == want);
    CHECK(decode_pieces(coding, bytes_apart(coded), 1) == want);
  }
  for (int first = 0x22; first < 0x28; ++first) {
    CAPTURE(first);
    const std::string before_rfc_8878 = static_cast<char>(first) + std::string("\xb5\x2f\xfd");
    CHECK(decode_whole(zstd, before_rfc_8878, {}) == failed(malformed));
  }
}

TEST_CASE("gzip's checksum detects every changed byte") {
  const std::string text = sample_text(300);
  const std::string coded = encode_whole(gzip, text);
  for (std::size_t at = 0; at < coded.size(); ++at) {
    CAPTURE(at);
    std::string changed = coded;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const auto decoded = decode_whole(gzip, changed, {});
    const bool ok = !decoded || *decoded == text;  // times and systems in the header may have any value
    CHECK(ok);
  }
}

TEST_CASE("garbage neither crashes a decoder nor produces unbounded output") {
  for (const ContentCoding coding : {gzip, br, zstd, deflate}) {
    CAPTURE(std::string(to_string(coding)));
    const std::string noise = sample_noise(4096);
    for (std::size_t at = 0; at < noise.size(); at += 16) {
      const auto decoded = decode_whole(coding, std::string_view(noise).substr(at, 200), {.bytes_max = 1000});
      const bool bounded = !decoded || decoded->size() <= 1000;
      CHECK(bounded);
    }
  }
  for (auto& [coding, bytes] : all_codings_of(sample_text(2000))) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
      const auto decoded = decode_whole(coding, bytes, {.bytes_max = 3000});
      const bool bounded = !decoded || decoded->size() <= 3000;
      CHECK(bounded);
      bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    }
  }
}

TEST_CASE("members of gzip and frames of zstd may follow one another, up to a limit") {
  for (const ContentCoding coding : {gzip, zstd}) {
    CAPTURE(std::string(to_string(coding)));
    const std::string two = encode_whole(coding, "hello ") + encode_whole(coding, "world");
    CHECK(decode_whole(coding, two, {.members_max = 2}) == "hello world");
    CHECK(decode_pieces(coding, bytes_apart(two), 1) == "hello world");
    CHECK(decode_whole(coding, two, {.members_max = 1}) == failed(DecodeError::too_many_members));
    const std::string empty = encode_whole(coding, "");
    CHECK(decode_whole(coding, two + empty, {.members_max = 3}) == "hello world");
    CHECK(decode_whole(coding, two.substr(0, two.size() - 1), {}) == failed(DecodeError::truncated));
    CHECK(decode_whole(coding, two + std::string(8, '\0'), {}) == failed(DecodeError::malformed));
  }
}

TEST_CASE("data after the end of a coding is refused") {
  const Coded cases[] = {{br, encode_whole(br, "hello")}, {deflate, std::string(kZlibHello)}};
  for (const auto& [coding, bytes] : cases) {
    CAPTURE(std::string(to_string(coding)));
    CHECK(decode_whole(coding, bytes + "x", {}) == failed(DecodeError::trailing_data));
    CHECK(decode_whole(coding, bytes + bytes, {}) == failed(DecodeError::trailing_data));
    CHECK(decode_pieces(coding, {bytes, "x"}, 100) == failed(DecodeError::trailing_data));
    CHECK(decode_pieces(coding, {bytes, "", ""}, 100) == "hello");
  }
}

TEST_CASE("bytes_max is exact") {
  const std::string text = sample_text(30000);
  for (const auto& [coding, bytes] : all_codings_of(text)) {
    CAPTURE(std::string(to_string(coding)));
    CHECK(decode_whole(coding, bytes, {.bytes_max = text.size()}) == text);
    CHECK(decode_whole(coding, bytes, {.bytes_max = text.size() - 1}) == failed(DecodeError::too_large));
    CHECK(decode_whole(coding, encode_whole(coding, ""), {.bytes_max = 0}) == "");
    CHECK(decode_whole(coding, encode_whole(coding, "a"), {.bytes_max = 0}) == failed(DecodeError::too_large));
  }
}

TEST_CASE("the ratio applies after the grace bytes") {
  const std::string dense(60000, 'a');
  for (const auto& [coding, bytes] : all_codings_of(dense)) {
    CAPTURE(std::string(to_string(coding)));
    const std::uint64_t ratio = dense.size() / bytes.size();
    CHECK(decode_whole(coding, bytes, {.ratio_max = 1, .ratio_grace_bytes = dense.size()}) == dense);
    CHECK(decode_whole(coding, bytes, {.ratio_max = 10, .ratio_grace_bytes = dense.size() - 1}) ==
          failed(DecodeError::too_large));
    CHECK(decode_whole(coding, bytes, {.ratio_max = ratio - 1, .ratio_grace_bytes = 0}) ==
          failed(DecodeError::too_large));
  }
}

TEST_CASE("a gigabyte of zeros is refused early, with little memory") {
  const std::string zeros(1024 * 1024, '\0');
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    const auto encoder = make_encoder(coding);
    std::string begin, again;
    encoder->update(zeros, begin);
    encoder->flush(begin);
    encoder->update(zeros, again);
    encoder->flush(again);  // a flush ends on a byte boundary, so this can be repeated
    std::string bomb = begin;
    for (int mebibytes = 1; mebibytes < 1024; ++mebibytes) bomb += again;
    REQUIRE(bomb.size() < 4 * 1024 * 1024);

    const DecodeLimits ratio_only{.bytes_max = std::numeric_limits<std::uint64_t>::max()};
    DecodeLimits size_only = kAnyRatio;
    size_only.bytes_max = 8 * 1024 * 1024;
    for (const DecodeLimits& limits : {ratio_only, size_only}) {
      const auto decoder = make_decoder(coding, limits);
      std::string_view left = bomb;
      std::string out;
      std::uint64_t decoded_bytes = 0;
      std::size_t capacity_max = 0;
      std::expected<DecodeStep, DecodeError> step;
      while (step) {
        out.clear();
        step = decoder->update(left, out, 16384);
        decoded_bytes += out.size();
        capacity_max = std::max(capacity_max, out.capacity());
        if (step) left.remove_prefix(step->consumed);
      }
      CHECK(step == failed(DecodeError::too_large));
      CHECK(decoded_bytes <= 8 * 1024 * 1024);
      CHECK(capacity_max <= 64 * 1024);
    }
    CHECK(decode_whole(coding, bomb, {}) == failed(DecodeError::too_large));
  }
}

TEST_CASE("an error leaves the output unchanged, and persists") {
  const std::string coded = encode_whole(br, sample_text(100)) + "x";
  const auto decoder = make_decoder(br, {});
  std::string out = "before";
  CHECK(decoder->update(coded, out, 1000) == failed(DecodeError::trailing_data));
  CHECK(out == "before");
  CHECK(decoder->update("", out, 1000) == failed(DecodeError::trailing_data));
  CHECK(decoder->finish() == failed(DecodeError::trailing_data));
}

TEST_CASE("empty input changes nothing, however often it is given") {
  for (const auto& [coding, bytes] : all_codings_of("hello")) {
    CAPTURE(std::string(to_string(coding)));
    const auto decoder = make_decoder(coding, {});
    std::string out;
    for (int i = 0; i < 100; ++i) CHECK(decoder->update("", out, 10) == DecodeStep{});
    CHECK(decoder->finish() == failed(DecodeError::truncated));
    CHECK(decoder->update(bytes, out, 10) == DecodeStep{.consumed = bytes.size(), .finished = true});
    CHECK(decoder->update("", out, 10) == DecodeStep{.finished = true});
    CHECK(decoder->finish().has_value());
    CHECK(out == "hello");
  }
}

TEST_SUITE_END();
}  // namespace volt::http::coding
