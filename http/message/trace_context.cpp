// SPDX-License-Identifier: MIT

#include "http/message/trace_context.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "crypto/random.h"
#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

// Layout of traceparent: "00-" trace-id "-" parent-id "-" flags
constexpr std::size_t kTraceIdBegins = 3;
constexpr std::size_t kSpanIdBegins = 36;
constexpr std::size_t kFlagsBegin = 53;
constexpr std::size_t kTextBytes = 55;

constexpr std::uint8_t kSampled = 1;
constexpr std::uint8_t kRandomTraceId = 2;

constexpr std::string_view kDigits = "0123456789abcdef";

// Parses lower-case hexadecimal digits; upper case is invalid (section 3.2.2.1).
bool parse_hex(std::string_view text, std::span<std::byte> bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t high = kDigits.find(text[2 * i]);
    const std::size_t low = kDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes[i] = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

void append_hex(std::string& text, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
}

bool is_zero(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

void draw_id(std::span<std::byte> id) noexcept {
  do {
    crypto::fill_random(id);
  } while (is_zero(id));
}

bool valid_version(std::string_view text) noexcept {
  std::array<std::byte, 1> version;
  if (!parse_hex(text, version) || version[0] == std::byte{0xff}) return false;
  if (version[0] == std::byte{0}) return text.size() == kTextBytes;
  return text.size() == kTextBytes || text[kTextBytes] == '-';
}

// The bytes allowed in a key by level 2 (section 3.3.1.3.1). Level 1 allows a subset of them.
constexpr ByteSet kKeyChars([](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || contains("_-*/@", c); });
constexpr std::size_t kKeyBytesMax = 256;
constexpr std::size_t kValueBytesMax = 256;
constexpr std::size_t kMembersMax = 32;

bool valid_key(std::string_view key) noexcept {
  return !key.empty() && key.size() <= kKeyBytesMax && (is_alpha(key.front()) || is_digit(key.front())) &&
         std::ranges::all_of(key, [](char c) { return kKeyChars.contains(c); });
}

// Returns whether `value` is printable ASCII without '='. The comma and trailing white space are already removed.
bool valid_value(std::string_view value) noexcept {
  return !value.empty() && value.size() <= kValueBytesMax &&
         std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

// Joins all fields called `name` into one list (section 3.3.1).
std::string joined_values(const Fields& fields, std::string_view name) {
  std::string joined;
  for (const std::string_view value : fields.all(name)) {
    if (!joined.empty()) joined += ',';
    joined += value;
  }
  return joined;
}

}  // namespace

std::optional<TraceParent> TraceParent::parse(std::string_view text) noexcept {
  if (text.size() < kTextBytes || !valid_version(text)) return std::nullopt;
  for (const std::size_t dash : {kTraceIdBegins, kSpanIdBegins, kFlagsBegin}) {
    if (text[dash - 1] != '-') return std::nullopt;
  }
  TraceParent parent;
  std::array<std::byte, 1> flags;
  if (!parse_hex(text.substr(kTraceIdBegins), parent.trace_id) || is_zero(parent.trace_id)) return std::nullopt;
  if (!parse_hex(text.substr(kSpanIdBegins), parent.span_id) || is_zero(parent.span_id)) return std::nullopt;
  if (!parse_hex(text.substr(kFlagsBegin), flags)) return std::nullopt;
  parent.sampled = (std::to_integer<std::uint8_t>(flags[0]) & kSampled) != 0;
  parent.random_trace_id = (std::to_integer<std::uint8_t>(flags[0]) & kRandomTraceId) != 0;
  return parent;
}

TraceParent TraceParent::start(bool sampled) noexcept {
  TraceParent first{.sampled = sampled, .random_trace_id = true};
  draw_id(first.trace_id);
  draw_id(first.span_id);
  return first;
}

TraceParent TraceParent::child() const noexcept {
  TraceParent span = *this;
  draw_id(span.span_id);
  return span;
}

std::string TraceParent::to_string() const {
  const int flags = (sampled ? kSampled : 0) | (random_trace_id ? kRandomTraceId : 0);
  std::string text;
  text.reserve(kTextBytes);
  text += "00-";
  append_hex(text, trace_id);
  text += '-';
  append_hex(text, span_id);
  text += "-0";
  text += kDigits[static_cast<std::size_t>(flags)];
  return text;
}

std::string TraceParent::trace_id_text() const {
  std::string text;
  append_hex(text, trace_id);
  return text;
}

std::string TraceParent::span_id_text() const {
  std::string text;
  append_hex(text, span_id);
  return text;
}

std::optional<std::string> parse_tracestate(std::string_view value) {
  std::string state;
  std::vector<std::string_view> keys;
  while (!value.empty()) {
    const std::string_view member = take_list_element(value);
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || keys.size() == kMembersMax) return std::nullopt;
    const std::string_view key = member.substr(0, equals);
    if (!valid_key(key) || !valid_value(member.substr(equals + 1))) return std::nullopt;
    if (std::ranges::find(keys, key) != keys.end()) return std::nullopt;
    keys.push_back(key);
    if (!state.empty()) state += ',';
    state += member;
  }
  return state;
}

std::optional<TraceContext> trace_context(const Fields& fields) {
  std::optional<std::string_view> only;
  for (const std::string_view value : fields.all("traceparent")) {
    if (only) return std::nullopt;
    only = value;
  }
  const auto parent = only ? TraceParent::parse(*only) : std::nullopt;
  if (!parent) return std::nullopt;
  return TraceContext{*parent, parse_tracestate(joined_values(fields, "tracestate")).value_or("")};
}

}  // namespace volt::http::message
