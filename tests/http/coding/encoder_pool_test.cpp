// SPDX-License-Identifier: MIT

#include "http/coding/encoder_pool.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/http/coding/sample_content.h"

namespace volt::http::coding {
namespace {

using namespace std::chrono_literals;

// Takes `count` encoders and gives them back.
void use(EncoderPool& pool, ContentCoding coding, std::size_t count, std::chrono::nanoseconds now) {
  std::vector<std::unique_ptr<Encoder>> encoders(count);
  for (auto& encoder : encoders) encoder = pool.take(coding);
  for (auto& encoder : encoders) pool.give_back(std::move(encoder), now);
}

}  // namespace

TEST_SUITE_BEGIN("http/coding/encoder_pool");

TEST_CASE("an encoder that was given back is reused, in its initial state") {
  EncoderPool pool;
  const std::string text = sample_text(3000);
  for (const ContentCoding coding : kEncodable) {
    CAPTURE(std::string(to_string(coding)));
    auto encoder = pool.take(coding);
    CHECK(encoder->coding() == coding);
    const Encoder* const first = encoder.get();
    std::string abandoned;
    encoder->update(sample_noise(100000), abandoned);
    pool.give_back(std::move(encoder), 1ns);
    CHECK(pool.idle(coding) == 1);
    auto again = pool.take(coding);
    CHECK(again.get() == first);
    CHECK(pool.idle(coding) == 0);
    std::string coded;
    again->finish(text, coded);
    CHECK(coded == encode_whole(coding, text));
  }
}

TEST_CASE("the number of idle encoders of each coding is limited") {
  EncoderPool pool({.idle_max = 2});
  for (const ContentCoding coding : kEncodable) {
    for (int i = 0; i < 4; ++i) pool.give_back(make_encoder(coding), 1ns);
  }
  for (const ContentCoding coding : kEncodable) CHECK(pool.idle(coding) == 2);
  EncoderPool none({.idle_max = 0});
  none.give_back(none.take(ContentCoding::gzip), 1ns);
  CHECK(none.idle(ContentCoding::gzip) == 0);
}

TEST_CASE("each coding has its own level") {
  EncoderPool pool({.levels = {.gzip = 1, .br = 2, .zstd = 9}});
  const std::string text = sample_text(30000);
  const std::pair<ContentCoding, int> levels[] = {
      {ContentCoding::gzip, 1}, {ContentCoding::br, 2}, {ContentCoding::zstd, 9}};
  for (const auto& [coding, level] : levels) {
    CAPTURE(std::string(to_string(coding)));
    std::string coded;
    pool.take(coding)->finish(text, coded);
    CHECK(coded == encode_whole(coding, text, level));
    CHECK(coded != encode_whole(coding, text));
  }
}

TEST_CASE("encoders that were not needed for an interval are freed, the others are kept") {
  EncoderPool pool;
  std::chrono::nanoseconds now = 1ns;
  use(pool, ContentCoding::gzip, 1, now);
  for (const std::size_t needed : {4, 2, 1, 3}) {
    CAPTURE(needed);
    for (int i = 0; i != 3; ++i) use(pool, ContentCoding::zstd, needed, now += EncoderPool::kSurplusInterval);
    CHECK(pool.idle(ContentCoding::zstd) == needed);
  }
  CHECK(pool.idle(ContentCoding::gzip) == 0);  // those of a coding that clients no longer ask for
  for (int i = 0; i != 9; ++i) use(pool, ContentCoding::zstd, 1, now += EncoderPool::kSurplusInterval / 10);
  CHECK(pool.idle(ContentCoding::zstd) == 3);  // the interval has not ended
}

TEST_SUITE_END();
}  // namespace volt::http::coding
