// SPDX-License-Identifier: MIT

#include "http/files/internal/byte_range.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "http/message/ascii.h"

namespace volt::http::files {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// A range-spec as the client wrote it.
struct RangeSpec {
  std::optional<std::uint64_t> first;  // nullopt: a suffix of `last` bytes
  std::optional<std::uint64_t> last;   // inclusive; nullopt: up to the end
};

// Removes 1*DIGIT from the front of `text` and returns its value.
std::optional<std::uint64_t> take_number(std::string_view& text) noexcept {
  if (text.empty() || !message::is_digit(text.front())) return std::nullopt;
  std::uint64_t value = 0;
  while (!text.empty() && message::is_digit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    value = value > (kLargest - digit) / 10 ? kLargest : value * 10 + digit;
    text.remove_prefix(1);
  }
  return value;
}

std::optional<RangeSpec> parse_spec(std::string_view text) noexcept {
  RangeSpec spec;
  spec.first = take_number(text);
  if (!text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  spec.last = take_number(text);
  if (!text.empty() || (!spec.first && !spec.last)) return std::nullopt;
  if (spec.first && spec.last && *spec.last < *spec.first) return std::nullopt;
  return spec;
}

// Returns the part of the requested range that exists; nullopt if it is empty (section 14.1.2).
std::optional<ByteRange> satisfy(const RangeSpec& spec, std::uint64_t size_bytes) noexcept {
  if (!spec.first) {
    const std::uint64_t bytes = std::min(*spec.last, size_bytes);
    if (bytes == 0) return std::nullopt;
    return ByteRange{size_bytes - bytes, bytes};
  }
  if (*spec.first >= size_bytes) return std::nullopt;
  const std::uint64_t last = std::min(spec.last.value_or(kLargest), size_bytes - 1);
  return ByteRange{*spec.first, last - *spec.first + 1};
}

bool near(ByteRange a, ByteRange b) noexcept {
  if (b.begin < a.begin) std::swap(a, b);
  return b.begin <= a.end() || b.begin - a.end() <= kRangeGapBytes;
}

ByteRange joined(const ByteRange& a, const ByteRange& b) noexcept {
  const std::uint64_t begin = std::min(a.begin, b.begin);
  return {begin, std::max(a.end(), b.end()) - begin};
}

// Adds a range and joins it with all ranges near it. One pass over `ranges` suffices: joining `added` with an element
// does not bring it near a further element, because no two elements are near each other.
void add_coalesced(std::vector<ByteRange>& ranges, ByteRange added) {
  const auto near_added = [&](const ByteRange& range) { return near(range, added); };
  const auto place = std::ranges::find_if(ranges, near_added) - ranges.begin();
  for (const ByteRange& range : ranges) {
    if (near_added(range)) added = joined(range, added);
  }
  std::erase_if(ranges, near_added);
  ranges.insert(ranges.begin() + place, added);
}

}  // namespace

RangeSelection select_ranges(std::string_view field, std::uint64_t size_bytes) {
  using enum RangeSelection::Kind;
  constexpr std::string_view kUnit = "bytes=";
  if (size_bytes == 0 || !message::equal_ignoring_case(field.substr(0, kUnit.size()), kUnit)) return {whole, {}};
  std::string_view list = field.substr(kUnit.size());
  std::size_t count = 0;
  RangeSelection selection{ranges, {}};
  while (!list.empty()) {
    const std::string_view element = message::take_list_element(list);
    if (element.empty()) continue;
    const auto spec = parse_spec(element);
    if (!spec || ++count > kRangesMax) return {whole, {}};
    if (const auto range = satisfy(*spec, size_bytes)) add_coalesced(selection.ranges, *range);
  }
  if (count == 0) return {whole, {}};
  if (selection.ranges.empty()) selection.kind = unsatisfiable;
  return selection;
}

std::string content_range(const ByteRange& range, std::uint64_t size_bytes) {
  std::string text("bytes ");
  text.append(std::to_string(range.begin)).append("-").append(std::to_string(range.end() - 1));
  return text.append("/").append(std::to_string(size_bytes));
}

std::string unsatisfied_content_range(std::uint64_t size_bytes) { return "bytes */" + std::to_string(size_bytes); }

}  // namespace volt::http::files
