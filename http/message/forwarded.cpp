// SPDX-License-Identifier: MIT

#include "http/message/forwarded.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

// Maximum length in bytes of a parameter's value without quotes and escapes. The longest node with an address fits:
// "[", an IPv6 address, "]:" and a port.
constexpr std::size_t kNodeBytesMax = 64;

constexpr ByteSet kObfuscatedChars([](char c) { return is_alpha(c) || is_digit(c) || contains("._-", c); });

// Returns whether `suffix` is empty, or ":" and a number or an obfuscated port (RFC 7239 section 6.2).
bool valid_port_suffix(std::string_view suffix) noexcept {
  if (suffix.empty()) return true;
  if (suffix.front() != ':' || suffix.size() == 1) return false;
  const std::string_view port = suffix.substr(1);
  if (port.front() == '_') {
    return port.size() > 1 && std::ranges::all_of(port.substr(1), [](char c) { return kObfuscatedChars.contains(c); });
  }
  return port.size() <= 5 && std::ranges::all_of(port, is_digit);
}

// A value of a Forwarded parameter, without quotes and escapes.
struct Value {
  std::array<char, kNodeBytesMax> bytes;
  std::size_t size = 0;
  bool overflowed = false;

  void push(char c) noexcept {
    if (size == bytes.size()) {
      overflowed = true;
    } else {
      bytes[size++] = c;
    }
  }
  std::string_view view() const noexcept { return {bytes.data(), size}; }
};

// Removes a token or a quoted-string (RFC 9110 section 5.6) from the front of `text`. Returns false if there is
// neither.
bool take_value(std::string_view& text, Value& value) noexcept {
  if (!text.starts_with('"')) {
    std::size_t bytes = 0;
    for (; bytes < text.size() && kTokenChars.contains(text[bytes]); ++bytes) value.push(text[bytes]);
    text.remove_prefix(bytes);
    return bytes > 0;
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (text[i] == '\\' && ++i == text.size()) return false;
    value.push(text[i]);
  }
  return false;
}

// Returns the address of the `for` parameter of a forwarded-element (RFC 7239 section 4). Pairs may be empty.
std::optional<IpAddress> element_address(std::string_view element) noexcept {
  std::optional<Value> node;
  for (; !element.empty(); element.remove_prefix(element.starts_with(';'))) {
    if (element.starts_with(';')) continue;
    const std::size_t equals = element.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = element.substr(0, equals);
    element.remove_prefix(equals + 1);
    Value value;
    if (!is_token(name) || !take_value(element, value)) return std::nullopt;
    if (!element.empty() && !element.starts_with(';')) return std::nullopt;
    if (!equal_ignoring_case(name, "for")) continue;
    if (node || value.overflowed) return std::nullopt;  // a parameter may occur only once
    node = value;
  }
  return node ? parse_node(node->view()) : std::nullopt;
}

// Returns whether the byte at `at` is escaped: an odd number of backslashes precedes it.
bool is_escaped(std::string_view text, std::size_t at) noexcept {
  std::size_t backslashes = 0;
  while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

// Removes the last element of a comma list from its end and returns it, trimmed. The list is read from the right
// because the client wrote its left part: a quote that the client leaves open must not hide the elements that proxies
// added. A comma inside quotes does not separate elements. `quotes` states whether the field has quoted strings.
std::string_view take_last_element(std::string_view& list, bool quotes) noexcept {
  bool quoted = false;
  for (std::size_t i = list.size(); i > 0; --i) {
    const char c = list[i - 1];
    if (quotes && c == '"' && !is_escaped(list, i - 1)) quoted = !quoted;
    if (c != ',' || quoted) continue;
    const std::string_view element = trim_ows(list.substr(i));
    list = list.substr(0, i - 1);
    return element;
  }
  return trim_ows(std::exchange(list, {}));
}

}  // namespace

std::optional<IpAddress> parse_node(std::string_view node) noexcept {
  if (node.starts_with('[')) {
    const std::size_t close = node.find(']');
    if (close == std::string_view::npos || !valid_port_suffix(node.substr(close + 1))) return std::nullopt;
    const std::string_view inside = node.substr(1, close - 1);
    return contains(inside, ':') ? IpAddress::parse(inside) : std::nullopt;
  }
  const std::size_t colon = node.find(':');
  const bool is_v6 = colon != std::string_view::npos && node.find(':', colon + 1) != std::string_view::npos;
  if (colon == std::string_view::npos || is_v6) return IpAddress::parse(node);
  return valid_port_suffix(node.substr(colon)) ? IpAddress::parse(node.substr(0, colon)) : std::nullopt;
}

IpAddress client_address(const IpAddress& peer, const Fields& fields, ForwardedField field,
                         std::span<const Cidr> trusted) noexcept {
  const auto is_trusted = [trusted](const IpAddress& address) {
    return std::ranges::any_of(trusted, [&address](const Cidr& block) { return block.contains(address); });
  };
  const bool standard = field == ForwardedField::forwarded;
  const std::string_view name = standard ? "forwarded" : "x-forwarded-for";

  IpAddress client = peer;
  for (std::size_t i = fields.size(); i > 0; --i) {  // several fields form one list, in their order
    if (!equal_ignoring_case(fields[i - 1].name, name)) continue;
    for (std::string_view list = fields[i - 1].value; !list.empty();) {
      if (!is_trusted(client)) return client;
      const std::string_view element = take_last_element(list, standard);
      if (element.empty()) continue;  // empty elements are ignored, RFC 9110 section 5.6.1.2
      const auto address = standard ? element_address(element) : parse_node(element);
      if (!address) return client;
      client = *address;
    }
  }
  return client;
}

}  // namespace volt::http::message
