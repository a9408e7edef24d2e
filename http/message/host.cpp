// SPDX-License-Identifier: MIT

#include "http/message/host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

using message::is_alpha;
using message::is_digit;

// The bytes of reg-name (RFC 3986 section 3.2.2) without comma and percent escapes.
constexpr message::ByteSet kNameChars([](char c) {
  return is_alpha(c) || is_digit(c) || message::contains("-._~!$&'()*+;=", c);
});

// Returns whether inet_pton(3) accepts `address`. The copy adds the terminating NUL that inet_pton needs.
template <std::size_t kBytesMax>
bool parses_as(int family, std::string_view address) noexcept {
  std::array<char, kBytesMax> text{};
  if (address.size() >= text.size() || address.find('\0') != std::string_view::npos) return false;
  std::copy(address.begin(), address.end(), text.begin());
  in6_addr parsed;  // large enough for either family
  return ::inet_pton(family, text.data(), &parsed) == 1;
}

// Returns whether the last label of `name` is a number. Clients treat such a name as an IPv4 address when they connect,
// so only the usual form of an IPv4 address is accepted. Recipients disagree on the other forms (octal, hexadecimal,
// fewer parts), which could therefore name different hosts.
bool ends_in_number(std::string_view name) noexcept {
  const std::string_view label = name.substr(name.rfind('.') + 1);  // the whole name if there is no dot
  return !label.empty() && std::ranges::all_of(label, is_digit);
}

bool valid_name(std::string_view name) noexcept {
  if (name.empty() || !std::ranges::all_of(name, [](char c) { return kNameChars.contains(c); })) return false;
  return !ends_in_number(name) || parses_as<INET_ADDRSTRLEN>(AF_INET, name);
}

bool valid_port(std::string_view digits) noexcept {
  std::uint32_t port = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return false;
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
    if (port > 65535) return false;
  }
  return true;
}

// Returns the length of the host without the port; npos if it is malformed.
std::size_t host_bytes(std::string_view host) noexcept {
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return close;
    // Zone identifiers (RFC 6874) are rejected: they name a network link of the client's machine, which has no meaning
    // on this machine.
    return parses_as<INET6_ADDRSTRLEN>(AF_INET6, host.substr(1, close - 1)) ? close + 1 : std::string_view::npos;
  }
  const std::size_t bytes = std::min(host.find(':'), host.size());
  return valid_name(host.substr(0, bytes)) ? bytes : std::string_view::npos;
}

}  // namespace

bool valid_host(std::string_view host) noexcept {
  const std::size_t bytes = host_bytes(host);
  if (bytes == std::string_view::npos) return false;
  const std::string_view rest = host.substr(bytes);
  return rest.empty() || (rest.front() == ':' && valid_port(rest.substr(1)));
}

bool valid_host_with_port(std::string_view host) noexcept {
  return valid_host(host) && is_digit(host.back()) && host.find(':', host_bytes(host)) != std::string_view::npos;
}

}  // namespace volt::http::message
