// SPDX-License-Identifier: MIT

// libFuzzer: for any bytes, split in any way, the decoder returns equal responses and an equal error, and the responses
// contain only bytes that the grammar allows.
//
// The first input byte seeds the cuts, the second selects limits and the request's method, the rest is the connection.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "http/message/ascii.h"
#include "runtime/base/check.h"
#include "tests/http/http1/decode_responses.h"

namespace volt::http::http1 {
namespace {

// Small limits, so that short inputs reach them.
constexpr ResponseLimits kTightLimits{.head_bytes_max = 96,
                                      .fields_max = 4,
                                      .interim_max = 2,
                                      .body_bytes_max = 24,
                                      .chunk_extension_bytes_max = 12,
                                      .trailer_bytes_max = 32,
                                      .trailer_fields_max = 2};

std::vector<std::size_t> cuts(std::size_t size, std::uint32_t seed) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < size;) {
    seed = seed * 1664525 + 1013904223;
    end += 1 + (seed >> 24) % (seed & 0x10000 ? 4 : 64);
    if (end < size) ends.push_back(end);
  }
  return ends;
}

void check_response(const DecodedResponse& response, Method method, const ResponseLimits& limits) {
  VOLT_CHECK(response.status == 101 || (response.status >= 200 && response.status < 600));
  VOLT_CHECK(response.body.size() <= limits.body_bytes_max);
  VOLT_CHECK(method != Method::head || response.body.empty());
  VOLT_CHECK(response.framing.kind != ResponseFraming::Kind::sized ||
             response.body.size() == response.framing.size_bytes);
  VOLT_CHECK(response.fields.size() <= limits.fields_max);
  VOLT_CHECK(response.trailers.size() <= limits.trailer_fields_max);
  VOLT_CHECK(response.interim.size() <= limits.interim_max);
  VOLT_CHECK(message::is_field_value(response.reason));
  for (const auto& fields : {response.fields, response.trailers}) {
    for (const auto& [name, value] : fields) {
      VOLT_CHECK(message::is_token(name));
      VOLT_CHECK(message::is_field_value(value));
    }
  }
}

void check_connection(std::string_view bytes, std::uint32_t seed, Method method, const ResponseLimits& limits) {
  const DecodedResponses whole = decode_responses(bytes, {method}, {}, limits);
  VOLT_CHECK(decode_responses(bytes, {method}, cuts(bytes.size(), seed), limits) == whole);
  VOLT_CHECK(decode_responses_byte_by_byte(bytes, {method}, limits) == whole);
  for (const DecodedResponse& response : whole.responses) check_response(response, method, limits);
}

}  // namespace
}  // namespace volt::http::http1

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http;
  if (size < 2 || size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Method method = data[1] % 4 < 2 ? Method::get : Method::head;
  const http1::ResponseLimits limits = data[1] % 2 == 0 ? http1::ResponseLimits{} : http1::kTightLimits;
  http1::check_connection(bytes, data[0], method, limits);
  return 0;
}
