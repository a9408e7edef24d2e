// SPDX-License-Identifier: MIT

#include "http/coding/internal/encoder.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/http/coding/sample_content.h"

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/internal/encoder");

namespace {

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t size = 0; size <= 20; ++size) all.push_back(size);
  for (std::size_t size = 21; size <= 70000; size += 1499) all.push_back(size);
  for (const std::size_t edge : {255, 256, 257, 8191, 8192, 8193, 32768, 65535, 65536, 65537, 70000}) {
    all.push_back(edge);
  }
  return all;
}

}  // namespace

TEST_CASE("encoded content can be decoded, for any size") {
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    for (const std::size_t size : sizes()) {
      CAPTURE(size);
      const std::string text = sample_text(size);
      const std::string noise = sample_noise(size);
      CHECK(decode_whole(coding, encode_whole(coding, text), {}) == text);
      CHECK(decode_whole(coding, encode_whole(coding, noise), {}) == noise);
    }
  }
}

TEST_CASE("every level round-trips, and a level beyond the library's range is clamped") {
  const std::string text = sample_text(3000);
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    for (const int level : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 19, 20}) {
      CAPTURE(level);
      CHECK(decode_whole(coding, encode_whole(coding, text, level), {}) == text);
    }
    CHECK(encode_whole(coding, text, -1000) == encode_whole(coding, text, coding == ContentCoding::br ? 0 : 1));
    CHECK(encode_whole(coding, text, 1000) == encode_whole(coding, text, 99));
    CHECK(encode_whole(coding, text, 1) != encode_whole(coding, text, 9));
  }
}

TEST_CASE("text gets smaller, and noise hardly larger") {
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    CHECK(encode_whole(coding, sample_text(16384)).size() < 16384 / 3);
    CHECK(encode_whole(coding, sample_noise(16384)).size() < 16384 + 64);
  }
}

TEST_CASE("identity returns the content unchanged") {
  CHECK(encode_whole(ContentCoding::identity, "abc") == "abc");
  CHECK(decode_whole(ContentCoding::identity, "abc", {}) == "abc");
  CHECK(decode_whole(ContentCoding::identity, "abc", {.bytes_max = 2}) == std::unexpected(DecodeError::too_large));
}

TEST_CASE("the content does not depend on how the input is split") {
  const std::string text = sample_text(200);
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      CAPTURE(cut);
      const auto encoder = make_encoder(coding);
      std::string coded;
      encoder->update(std::string_view(text).substr(0, cut), coded);
      encoder->update(std::string_view(text).substr(cut), coded);
      encoder->finish(coded);
      CHECK(decode_whole(coding, coded, {}) == text);
    }
  }
}

TEST_CASE("output is appended") {
  for (const ContentCoding coding : kEncodable) {
    std::string out = "before ";
    make_encoder(coding)->finish("content", out);
    CHECK(out == "before " + encode_whole(coding, "content"));
  }
}

TEST_CASE("after a flush all content so far is decodable, and more may follow") {
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    for (const int level : {0, 1, 3, 5, 9, 11}) {
      CAPTURE(level);
      const auto encoder = make_encoder(coding, level);
      const auto decoder = make_decoder(coding, kAnyRatio);
      std::string content, decoded;
      for (const std::size_t size : {0, 1, 5, 100, 0, 9000, 1, 70000, 3}) {
        const std::string piece = sample_text(size);
        content += piece;
        std::string coded;
        encoder->update(piece, coded);
        encoder->flush(coded);
        const auto step = decode_piece(*decoder, coded, decoded, 1000);
        REQUIRE(step.has_value());
        CHECK_FALSE(step->finished);
        CHECK(decoded == content);
      }
      std::string coded;
      encoder->finish(coded);
      const auto step = decode_piece(*decoder, coded, decoded, 1000);
      REQUIRE(step.has_value());
      CHECK(step->finished);
      CHECK(decoded == content);
    }
  }
}

TEST_CASE("a flush without new input costs a few bytes at most") {
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    const auto encoder = make_encoder(coding);
    std::string coded;
    encoder->update("a", coded);
    encoder->flush(coded);
    const std::size_t before = coded.size();
    for (int i = 0; i < 10; ++i) encoder->flush(coded);
    CHECK(coded.size() - before <= 10 * 5);
    encoder->finish("b", coded);
    CHECK(decode_whole(coding, coded, {}) == "ab");
  }
}

TEST_CASE("reset restores the initial state, from any state") {
  const std::string text = sample_text(5000);
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    const std::string want = encode_whole(coding, text);
    const auto encoder = make_encoder(coding);
    for (int round = 0; round < 4; ++round) {
      CAPTURE(round);
      std::string ignored, coded;
      if (round >= 1) encoder->update(sample_noise(300000), ignored);
      if (round >= 2) encoder->flush(ignored);
      if (round >= 3) encoder->finish(ignored);
      encoder->reset();
      encoder->finish(text, coded);
      CHECK(coded == want);
      encoder->reset();
    }
  }
}

TEST_SUITE_END();
}  // namespace volt::http::coding
