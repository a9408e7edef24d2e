// SPDX-License-Identifier: MIT

// libFuzzer: however a multipart body is split, the parser returns equal parts and an equal refusal, and any content
// without a delimiter is returned unchanged.
//
// The first input byte seeds the cuts, the second selects limits and boundary, the rest is the body, then a content.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/multipart/internal/file_name.h"
#include "runtime/base/check.h"
#include "tests/http/multipart/parse_form.h"

namespace volt::http::multipart {
namespace {

// Small limits, so that short inputs reach them.
constexpr MultipartLimits kTightLimits{
    .parts_max = 2, .head_bytes_max = 80, .fields_max = 2, .preamble_bytes_max = 4, .epilogue_bytes_max = 4};

std::vector<std::size_t> cuts(std::size_t size, std::uint32_t seed) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < size;) {
    seed = seed * 1664525 + 1013904223;
    end += 1 + (seed >> 24) % (seed & 0x10000 ? 4 : 64);
    if (end < size) ends.push_back(end);
  }
  return ends;
}

void check_file_name(std::string_view untrusted) {
  const std::string name = safe_file_name(untrusted);
  VOLT_CHECK(!name.empty() && name.size() <= kFileNameBytesMax && name.front() != '.');
  for (const char c : name) VOLT_CHECK(static_cast<std::uint8_t>(c) >= 0x20 && c != 0x7f && c != '/' && c != '\\');
}

void check_body(std::string_view boundary, std::string_view body, std::uint32_t seed, const MultipartLimits& limits) {
  const ParsedForm whole = parse_form(boundary, body, {}, limits);
  VOLT_CHECK(parse_form(boundary, body, cuts(body.size(), seed), limits) == whole);
  VOLT_CHECK(parse_form_by_bytes(boundary, body, limits) == whole);
  VOLT_CHECK(whole.parts.size() <= limits.parts_max);
  VOLT_CHECK(whole.error || whole.ended);
  for (const ParsedPart& part : whole.parts) {
    VOLT_CHECK(part.whole || whole.error);
    VOLT_CHECK(part.fields <= limits.fields_max);
    if (part.file_name) check_file_name(*part.file_name);
  }
}

void check_content(std::string_view boundary, std::string_view content, std::uint32_t seed) {
  const std::string line = "--" + std::string(boundary);
  if (("\r\n" + std::string(content)).find("\r\n" + line) != std::string::npos) return;
  const std::string body =
      line + "\r\nContent-Disposition: form-data; name=a\r\n\r\n" + std::string(content) + "\r\n" + line + "--\r\n";
  const ParsedForm form = parse_form(boundary, body, cuts(body.size(), seed));
  VOLT_CHECK(!form.error && form.parts.size() == 1 && form.parts[0].data == content);
}

}  // namespace
}  // namespace volt::http::multipart

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::multipart;
  constexpr std::string_view kBoundaries[] = {"b", "--", "-b-", "bbbb"};
  if (size < 2 || size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string_view boundary = kBoundaries[data[1] / 2 % 4];
  check_body(boundary, bytes, data[0], data[1] % 2 == 0 ? MultipartLimits{} : kTightLimits);
  check_content(boundary, bytes, data[0]);
  return 0;
}
