// SPDX-License-Identifier: MIT

// libFuzzer: for any bytes, every decoder stays within its limits, and returns equal content or an error however the
// input is split and however little room there is for the output. Encoding the bytes and decoding the result returns
// them.
//
// The first input byte selects the coding and the limits, the second the room, the rest is the content.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "http/coding/internal/encoder.h"
#include "runtime/base/check.h"
#include "tests/http/coding/sample_content.h"

namespace volt::http::coding {
namespace {

// Small limits, so that short inputs reach them.
constexpr DecodeLimits kTightLimits{.bytes_max = 4096, .ratio_max = 20, .ratio_grace_bytes = 256, .members_max = 3};
// Limits the size only, so that refusals do not depend on where the input is split.
constexpr DecodeLimits kSizeOnly{.bytes_max = 65536, .ratio_max = ~0ULL, .members_max = 3};

using Decoded = std::expected<std::string, DecodeError>;

void check_limits(const Decoded& decoded, std::string_view coded, const DecodeLimits& limits) {
  if (!decoded) return;
  VOLT_CHECK(decoded->size() <= limits.bytes_max);
  VOLT_CHECK(decoded->size() <= limits.ratio_grace_bytes || decoded->size() / coded.size() <= limits.ratio_max);
}

// Two failed results may have different errors: at a cut, one run reaches the limit and the other the malformed byte
// after it.
bool same(const Decoded& a, const Decoded& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return *a == *b;
}

void check_decoder(ContentCoding coding, std::string_view coded, std::size_t room) {
  check_limits(decode_whole(coding, coded, kTightLimits), coded, kTightLimits);
  const Decoded whole = decode_whole(coding, coded, kSizeOnly);
  check_limits(whole, coded, kSizeOnly);
  VOLT_CHECK(same(whole, decode_pieces(coding, {coded}, room, kSizeOnly)));
  VOLT_CHECK(same(whole, decode_pieces(coding, bytes_apart(coded), room, kSizeOnly)));
}

void check_encoder(ContentCoding coding, std::string_view content, std::size_t cut) {
  const auto encoder = make_encoder(coding);
  std::string coded;
  encoder->update(content.substr(0, cut), coded);
  encoder->flush(coded);
  encoder->finish(content.substr(cut), coded);
  VOLT_CHECK(decode_pieces(coding, {coded}, 1 + cut) == std::string(content));
}

}  // namespace
}  // namespace volt::http::coding

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::coding;
  if (size < 2 || size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto coding = static_cast<ContentCoding>(1 + data[0] % (kContentCodings - 1));
  const std::size_t room = 1 + data[1];
  check_decoder(coding, bytes, room);
  if (data[0] >= 0x80 && can_encode(coding)) check_encoder(coding, bytes, std::min(room, bytes.size()));
  return 0;
}
