// SPDX-License-Identifier: MIT

// libFuzzer: for any Range, If-Range and conditions, the plan's segments have exactly the announced size, and lie
// within the file.
//
// The first input byte selects the file's size, the rest are the values of the fields, one per line.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "http/files/file_path.h"
#include "http/files/file_plan.h"
#include "runtime/base/check.h"

namespace volt::http::files {
namespace {

constexpr std::string_view kNames[] = {"range",         "if-range",          "if-match",
                                       "if-none-match", "if-modified-since", "if-unmodified-since"};
constexpr std::uint64_t kSizes[] = {0, 1, 2, 10, 1000, 1 << 20, std::numeric_limits<std::int64_t>::max()};
constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1767225600)};

void check_ranges(std::string_view field, std::uint64_t size_bytes) {
  const RangeSelection selected = select_ranges(field, size_bytes);
  const bool some = selected.kind == RangeSelection::Kind::ranges;
  VOLT_CHECK(some == !selected.ranges.empty());
  VOLT_CHECK(selected.ranges.size() <= kRangesMax);
  std::vector<ByteRange> sorted = selected.ranges;
  std::ranges::sort(sorted, {}, &ByteRange::begin);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    VOLT_CHECK(sorted[i].bytes > 0);
    VOLT_CHECK(sorted[i].begin < size_bytes && sorted[i].bytes <= size_bytes - sorted[i].begin);
    if (i > 0) VOLT_CHECK(sorted[i].begin - sorted[i - 1].begin > sorted[i - 1].bytes + kRangeGapBytes);
  }
}

void check_plan(const Fields& fields, std::uint64_t size_bytes, Method method) {
  const FileMetadata metadata{.size_bytes = size_bytes,
                              .modified = kNow - std::chrono::seconds(10),
                              .etag = "a",
                              .media_type = "text/plain",
                              .coding = {}};
  const FilePlan plan = plan_file(method, fields, metadata, {}, kNow);
  std::uint64_t owed = 0;
  for (const Segment& segment : plan.segments) {
    owed += owed_bytes(segment);
    if (const auto* range = std::get_if<ByteRange>(&segment)) VOLT_CHECK(range->end() <= size_bytes);
  }
  VOLT_CHECK(plan.head_only ? owed == 0 : owed == plan.content_bytes);
  const bool carries = plan.status == Status::ok || plan.status == Status::partial_content;
  VOLT_CHECK(carries || plan.content_bytes == 0);
  VOLT_CHECK(method == Method::get || plan.status != Status::partial_content);
}

void check_path(std::string_view escaped) {
  const auto path = parse_file_path(escaped, Hidden::refused);
  if (!path) return;
  const std::string framed = "/" + path->relative + "/";
  VOLT_CHECK(path->relative.empty() || framed.find("//") == std::string::npos);
  const std::size_t dot = framed.rfind("/.");
  VOLT_CHECK(dot == std::string::npos || (dot == 0 && framed.starts_with("/.well-known/")));
  VOLT_CHECK(framed.find('\0') == std::string::npos && framed.find('\\') == std::string::npos);
}

void check(std::string_view lines, std::uint64_t size_bytes) {
  std::string head;
  std::vector<message::FieldSpan> spans;
  for (const std::string_view name : kNames) head += name;
  const auto names_bytes = static_cast<std::uint32_t>(head.size());
  head += lines;
  std::uint32_t name_begin = 0;
  for (std::size_t i = 0, begin = 0; i < std::size(kNames) && begin <= lines.size(); ++i) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const auto name_size = static_cast<std::uint32_t>(kNames[i].size());
    const auto value_begin = names_bytes + static_cast<std::uint32_t>(begin);
    if (end > begin) spans.push_back({name_begin, name_size, value_begin, static_cast<std::uint32_t>(end - begin)});
    name_begin += name_size;
    begin = end + 1;
  }
  const Fields fields(head.data(), spans);
  if (const auto range = fields.find("range")) check_ranges(*range, size_bytes);
  check_plan(fields, size_bytes, Method::get);
  check_plan(fields, size_bytes, Method::head);
  check_path(lines);
}

}  // namespace
}  // namespace volt::http::files

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::files;
  if (size < 1 || size > 4096) return 0;
  check({reinterpret_cast<const char*>(data) + 1, size - 1}, kSizes[data[0] % std::size(kSizes)]);
  return 0;
}
