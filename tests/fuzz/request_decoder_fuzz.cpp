// SPDX-License-Identifier: MIT

// libFuzzer: for any bytes, split in any way, the decoder returns equal messages and an equal refusal, and the messages
// contain only bytes that the grammar allows.
//
// The first input byte seeds the cuts, the second selects the limits, the rest is the connection.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "http/message/ascii.h"
#include "runtime/base/check.h"
#include "tests/http/http1/decode_stream.h"

namespace volt::http::http1 {
namespace {

// Small limits, so that short inputs reach them.
constexpr Limits kTightLimits{.request_line_bytes_max = 40,
                              .head_bytes_max = 160,
                              .fields_max = 4,
                              .body_bytes_max = 24,
                              .chunk_extension_bytes_max = 12,
                              .extension_bytes_per_data_byte_max = 1,
                              .trailer_bytes_max = 32,
                              .trailer_fields_max = 2,
                              .leading_empty_lines_max = 1};

std::vector<std::size_t> cuts(std::size_t size, std::uint32_t seed) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < size;) {
    seed = seed * 1664525 + 1013904223;
    end += 1 + (seed >> 24) % (seed & 0x10000 ? 4 : 64);
    if (end < size) ends.push_back(end);
  }
  return ends;
}

void check_message(const DecodedMessage& message, const Limits& limits) {
  VOLT_CHECK(message.path == "*" || message.path.starts_with('/'));
  VOLT_CHECK(message.version == Version::http_1_0 || !message.host.empty());
  VOLT_CHECK(message.body.size() <= limits.body_bytes_max);
  VOLT_CHECK(message.fields.size() <= limits.fields_max);
  VOLT_CHECK(message.trailers.size() <= limits.trailer_fields_max);
  for (const char c : message.target) VOLT_CHECK(kTargetChars.contains(c));
  for (const auto& fields : {message.fields, message.trailers}) {
    for (const auto& [name, value] : fields) {
      VOLT_CHECK(message::is_token(name));
      VOLT_CHECK(message::is_field_value(value));
      VOLT_CHECK(message::trim_ows(value) == value);
    }
  }
}

void check_connection(std::string_view bytes, std::uint32_t seed, const Limits& limits) {
  const DecodedStream whole = decode_stream(bytes, {}, limits);
  VOLT_CHECK(decode_stream(bytes, cuts(bytes.size(), seed), limits) == whole);
  VOLT_CHECK(decode_byte_by_byte(bytes, limits) == whole);
  for (const DecodedMessage& message : whole.messages) check_message(message, limits);
}

}  // namespace
}  // namespace volt::http::http1

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::http1;
  if (size < 2 || size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  check_connection(bytes, data[0], data[1] % 2 == 0 ? Limits{} : kTightLimits);
  return 0;
}
