// SPDX-License-Identifier: MIT

#include "config/read/internal/kinds.h"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/address.h"
#include "runtime/log.h"

namespace volt::config {
namespace {

using enum RawValue::Notation;

constexpr std::size_t kShownBytesMax = 80;

template <std::size_t N>
using Units = std::array<std::pair<std::string_view, std::uint64_t>, N>;

// Units with their sizes in milliseconds or bytes, the largest first: show() uses the first unit that divides the
// value.
constexpr Units<4> kTimes{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr Units<5> kSizes{
    {{"TiB", std::uint64_t{1} << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}};

// Splits a text into its leading number and the rest.
std::optional<std::pair<std::uint64_t, std::string_view>> split_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  return std::pair(number, text.substr(static_cast<std::size_t>(stop - text.data())));
}

template <std::size_t N>
std::optional<std::uint64_t> with_unit(std::string_view text, const Units<N>& units) {
  const auto split = split_number(text);
  if (!split) return std::nullopt;
  auto [number, unit] = *split;
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto* const known = std::ranges::find(units, unit, &std::pair<std::string_view, std::uint64_t>::first);
  if (known == units.end() || number > std::numeric_limits<std::uint64_t>::max() / known->second) return std::nullopt;
  return number * known->second;
}

template <std::size_t N>
std::string in_largest(std::uint64_t value, const Units<N>& units, std::string_view between) {
  auto unit = units.back();
  for (const auto& larger : units) {
    if (value == 0 || value % larger.second != 0) continue;
    unit = larger;
    break;
  }
  return std::to_string(value / unit.second).append(between).append(unit.first);
}

template <class Number>
std::optional<Number> within(std::optional<Number> value, Number min, Number max) {
  return value && *value >= min && *value <= max ? value : std::nullopt;
}

const std::string* text_of(const RawValue& found) {
  return found.notation == untyped || found.notation == string ? &found.items.front() : nullptr;
}

bool is_name(std::string_view text, std::size_t bytes_max) {
  return text.size() <= bytes_max && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                  c == '.';
         });
}

// Returns whether the text is a host name and a port, such as "localhost:8080".
bool has_host_name(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto is_label_byte = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::string_view host = text.substr(0, colon);
  if (!std::ranges::all_of(host, is_label_byte) || std::ranges::none_of(host, is_letter)) return false;
  return Address::parse("127.0.0.1" + std::string(text.substr(colon))).has_value();
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (byte < 0x20 || byte == 0x7f) {
      out.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string RawValue::to_string() const {
  switch (notation) {
    case untyped:
    case string:
      if (items.size() != 1) break;
      return items.front().size() <= kShownBytesMax ? in_quotes(items.front())
                                                    : in_quotes(items.front().substr(0, kShownBytesMax)) + "...";
    case integer:
    case boolean:
    case other:
      return items.front();
    case fraction:
      return "a number with a fraction";
    case numbers:
      return "an array with values that are not strings";
    case strings:
      break;
  }
  return Addresses::show(items);
}

std::optional<std::uint64_t> Count::read(const RawValue& found) const {
  if (found.notation != untyped && found.notation != integer) return std::nullopt;
  const auto split = split_number(found.items.front());
  if (!split || !split->second.empty()) return std::nullopt;
  return within(std::optional(split->first), min, max);
}
std::string Count::expected() const { return "a whole number from " + show(min) + " to " + show(max); }
std::string Count::show(std::uint64_t value) { return std::to_string(value); }

std::optional<std::uint64_t> Size::read(const RawValue& found) const {
  if (found.notation != integer && text_of(found) == nullptr) return std::nullopt;
  const std::string& text = found.items.front();
  const auto split = split_number(text);
  if (split && split->second.empty()) return within(std::optional(split->first), min, max);
  return within(with_unit(text, kSizes), min, max);
}
std::string Size::expected() const { return "a size from " + show(min) + " to " + show(max); }
std::string Size::show(std::uint64_t value) { return '"' + in_largest(value, kSizes, " ") + '"'; }

std::optional<std::chrono::milliseconds> Duration::read(const RawValue& found) const {
  const std::string* text = text_of(found);
  if (text == nullptr) return std::nullopt;
  const auto count = within(with_unit(*text, kTimes), static_cast<std::uint64_t>(min.count()),
                            static_cast<std::uint64_t>(max.count()));
  if (!count) return std::nullopt;
  return std::chrono::milliseconds(*count);
}
std::string Duration::expected() const { return "a duration with its unit, from " + show(min) + " to " + show(max); }
std::string Duration::show(std::chrono::milliseconds value) {
  return '"' + in_largest(static_cast<std::uint64_t>(value.count()), kTimes, "") + '"';
}

std::optional<bool> Switch::read(const RawValue& found) {
  if (found.notation != untyped && found.notation != boolean) return std::nullopt;
  if (found.items.front() == "true") return true;
  if (found.items.front() == "false") return false;
  return std::nullopt;
}

std::optional<std::string> FilePath::read(const RawValue& found) {
  const std::string* text = text_of(found);
  if (text == nullptr || text->find('\0') != std::string::npos) return std::nullopt;
  return *text;
}

std::optional<std::string> LogLevels::read(const RawValue& found) {
  const std::string* text = text_of(found);
  if (text == nullptr || !Log().set_levels(*text)) return std::nullopt;
  return *text;
}

std::optional<std::vector<tls::CertificateAndKey>> CertificatePairs::read(const RawValue& found) {
  if (found.notation != untyped && found.notation != strings) return std::nullopt;
  std::vector<tls::CertificateAndKey> pairs;
  for (const std::string& item : found.items) {
    const std::size_t colon = item.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == item.size()) return std::nullopt;
    pairs.push_back({item.substr(0, colon), item.substr(colon + 1)});
  }
  return pairs;
}

std::string CertificatePairs::show(const std::vector<tls::CertificateAndKey>& value) {
  std::vector<std::string> items;
  for (const auto& [certificate, key] : value) items.push_back(certificate + ':' + key);
  return Addresses::show(items);
}

std::optional<std::string> Account::read(const RawValue& found) {
  const std::string* text = text_of(found);
  constexpr std::size_t kBytesMax = 32;  // useradd(8)
  if (text == nullptr || !is_name(*text, kBytesMax)) return std::nullopt;
  return *text;
}

std::optional<std::string> Label::read(const RawValue& found) {
  const std::string* text = text_of(found);
  constexpr std::size_t kBytesMax = 100;
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (text == nullptr || text->size() > kBytesMax || !std::ranges::all_of(*text, printable)) return std::nullopt;
  return *text;
}

std::optional<std::string> FileModeMask::read(const RawValue& found) {
  const std::string* text = text_of(found);
  const bool sound =
      text != nullptr && text->size() <= 4 && std::ranges::all_of(*text, [](char c) { return c >= '0' && c <= '7'; });
  if (!sound || (text->size() == 4 && text->front() != '0')) return std::nullopt;
  return *text;
}

std::optional<std::vector<std::string>> Addresses::read(const RawValue& found) {
  if (found.notation != untyped && found.notation != strings) return std::nullopt;
  for (const std::string& address : found.items) {
    if (address != "systemd:" && !Address::parse(address) && !has_host_name(address)) return std::nullopt;
  }
  return found.items;
}
std::string Addresses::show(const std::vector<std::string>& value) {
  std::string text = "[";
  for (const std::string& address : value) text.append(text.size() == 1 ? "" : ", ").append(in_quotes(address));
  return text += ']';
}

std::optional<std::vector<std::string>> Hosts::read(const RawValue& found) {
  constexpr std::size_t kBytesMax = 253;  // RFC 1035 section 2.3.4
  if (found.notation != untyped && found.notation != strings) return std::nullopt;
  const bool names = std::ranges::all_of(
      found.items, [](const std::string& host) { return !host.empty() && is_name(host, kBytesMax); });
  return names ? std::optional(found.items) : std::nullopt;
}

}  // namespace volt::config
