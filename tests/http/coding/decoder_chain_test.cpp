// SPDX-License-Identifier: MIT

#include "http/coding/decoder_chain.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "http/coding/internal/encoder.h"
#include "tests/http/coding/sample_content.h"

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/decoder_chain");

namespace {

using enum ContentCoding;
using Decoded = std::expected<std::string, DecodeError>;

AppliedCodings applied(std::initializer_list<ContentCoding> codings) {
  AppliedCodings list;
  for (const ContentCoding coding : codings) REQUIRE(list.append(coding));
  return list;
}

std::string encode_twice(ContentCoding inner, ContentCoding outer, std::string_view content) {
  return encode_whole(outer, encode_whole(inner, content));
}

Decoded decode(const AppliedCodings& codings, const std::vector<std::string_view>& pieces, std::size_t out_bytes_max,
               const DecodeLimits& limits = {}) {
  DecoderChain chain(codings, limits);
  std::string out;
  for (std::string_view piece : pieces) {
    for (bool more = true; more;) {
      const std::size_t before = out.size();
      const auto step = chain.update(piece, out, out_bytes_max);
      if (!step) return std::unexpected(step.error());
      CHECK(out.size() - before <= out_bytes_max);
      piece.remove_prefix(step->consumed);
      more = step->output_full;
    }
  }
  const auto whole = chain.finish();
  if (!whole) return std::unexpected(whole.error());
  return out;
}

}  // namespace

TEST_CASE("two codings are decoded in reverse order, in pieces of any size") {
  const std::string text = sample_text(50000);
  for (const ContentCoding inner : kEncodable) {
    for (const ContentCoding outer : kEncodable) {
      CAPTURE(std::string(to_string(inner)));
      CAPTURE(std::string(to_string(outer)));
      const std::string coded = encode_twice(inner, outer, text);
      const AppliedCodings codings = applied({inner, outer});
      CHECK(decode(codings, {coded}, 1000000) == text);
      CHECK(decode(codings, {coded}, 999) == text);
      CHECK(decode(codings, bytes_apart(coded), 8192) == text);
      if (inner != outer) CHECK_FALSE(decode(applied({outer, inner}), {coded}, 8192).has_value());
    }
  }
}

TEST_CASE("a little room for output is enough") {
  const std::string coded = encode_twice(zstd, gzip, sample_text(500));
  for (const std::size_t room : {1, 2, 499, 500, 501}) {
    CAPTURE(room);
    CHECK(decode(applied({zstd, gzip}), {coded}, room) == sample_text(500));
    CHECK(decode(applied({zstd, gzip}), bytes_apart(coded), room) == sample_text(500));
  }
}

TEST_CASE("a chain may have one coding") {
  const std::string coded = encode_whole(br, "hello");
  CHECK(decode(applied({br}), {coded}, 2) == "hello");
  CHECK(decode(applied({br}), {coded, "x"}, 2) == std::unexpected(DecodeError::trailing_data));
}

TEST_CASE("the end of either coding may be missing") {
  const std::string coded = encode_twice(gzip, br, "hello");
  for (std::size_t size = 0; size < coded.size(); ++size) {
    CAPTURE(size);
    CHECK(decode(applied({gzip, br}), {std::string_view(coded).substr(0, size)}, 100) ==
          std::unexpected(DecodeError::truncated));
  }
  const std::string inside = encode_whole(gzip, "hello");
  for (std::size_t size = 0; size < inside.size(); ++size) {
    CAPTURE(size);
    CHECK(decode(applied({gzip, br}), {encode_whole(br, inside.substr(0, size))}, 100) ==
          std::unexpected(DecodeError::truncated));
  }
  CHECK(decode(applied({br, gzip}), {encode_whole(gzip, encode_whole(br, "hello") + "x")}, 100) ==
        std::unexpected(DecodeError::trailing_data));
}

TEST_CASE("the ratio applies to the whole chain: a bomb in a bomb is refused") {
  const std::string zeros(2 * 1024 * 1024, '\0');
  const DecodeLimits limits{.bytes_max = std::numeric_limits<std::uint64_t>::max(), .ratio_max = 2000};
  const std::string once = encode_whole(gzip, zeros);
  CHECK(decode(applied({gzip}), {once}, 8192, limits) == zeros);
  CHECK(decode(applied({gzip, gzip}), {encode_whole(gzip, once)}, 8192, limits) ==
        std::unexpected(DecodeError::too_large));
}

TEST_CASE("an error leaves the output unchanged, and persists") {
  DecoderChain chain(applied({gzip, gzip}), {});
  std::string out = "before";
  CHECK(chain.update("hello", out, 100) == std::unexpected(DecodeError::malformed));
  CHECK(chain.update("", out, 100) == std::unexpected(DecodeError::malformed));
  CHECK(chain.finish() == std::unexpected(DecodeError::malformed));
  CHECK(out == "before");
}

TEST_SUITE_END();
}  // namespace volt::http::coding
