// SPDX-License-Identifier: MIT

#include "http/http1/proxy_protocol.h"

#include <algorithm>
#include <array>
#include <span>

#include "http/message/ascii.h"

namespace volt::http::http1 {
namespace {

using message::IpAddress;
using enum ProxyHeader::State;

constexpr std::string_view kV1Begin = "PROXY ";
constexpr std::string_view kV2Signature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kV2FixedBytes = 16;  // signature, version and command, family and protocol, length

constexpr ProxyHeader kNeedMore{};
constexpr ProxyHeader kInvalid{.state = invalid};

bool begins(std::string_view received, std::string_view expected) noexcept {
  const std::size_t bytes = std::min(received.size(), expected.size());
  return received.substr(0, bytes) == expected.substr(0, bytes);
}

// Removes the next word from the front of `line`, and the space after it if there is one. Returns the word.
std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  line = space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
  return word;
}

std::optional<std::uint16_t> parse_port(std::string_view digits) noexcept {
  if (digits.empty() || digits.size() > 5 || !std::ranges::all_of(digits, message::is_digit)) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  std::uint32_t port = 0;
  for (const char digit : digits) port = port * 10 + static_cast<std::uint32_t>(digit - '0');
  return port <= 65535 ? std::optional(static_cast<std::uint16_t>(port)) : std::nullopt;
}

std::optional<IpAddress> parse_address(std::string_view text, bool is_v6) noexcept {
  return message::contains(text, ':') == is_v6 ? IpAddress::parse(text) : std::nullopt;
}

// Parses `addresses`, which must be "source destination source-port destination-port".
std::optional<ProxyRoute> parse_v1_route(std::string_view addresses, bool is_v6) noexcept {
  if (std::ranges::count(addresses, ' ') != 3) return std::nullopt;
  const auto source = parse_address(take_word(addresses), is_v6);
  const auto destination = parse_address(take_word(addresses), is_v6);
  const auto source_port = parse_port(take_word(addresses));
  const auto destination_port = parse_port(take_word(addresses));
  if (!source || !destination || !source_port || !destination_port) return std::nullopt;
  return ProxyRoute{{*source, *source_port}, {*destination, *destination_port}};
}

ProxyHeader decode_v1(std::string_view received) noexcept {
  const std::string_view within = received.substr(0, kProxyV1BytesMax);
  const std::size_t end = within.find("\r\n");
  if (end == std::string_view::npos) return within.size() == kProxyV1BytesMax ? kInvalid : kNeedMore;

  ProxyHeader header{.state = done, .bytes = end + 2};
  std::string_view line = within.substr(kV1Begin.size(), end - kV1Begin.size());
  const std::string_view family = take_word(line);
  if (family == "UNKNOWN") return header;  // section 2.1: the rest of the line is ignored
  if (family != "TCP4" && family != "TCP6") return kInvalid;
  header.route = parse_v1_route(line, family == "TCP6");
  return header.route ? header : kInvalid;
}

std::uint16_t big_endian(std::string_view two_bytes) noexcept {
  return static_cast<std::uint16_t>(static_cast<std::uint8_t>(two_bytes[0]) << 8 |
                                    static_cast<std::uint8_t>(two_bytes[1]));
}

template <std::size_t kBytes>
std::array<std::byte, kBytes> bytes_of(std::string_view text) noexcept {
  std::array<std::byte, kBytes> bytes;
  std::ranges::transform(text.substr(0, kBytes), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

IpAddress v4_of(std::string_view bytes) noexcept { return IpAddress::from_v4(bytes_of<4>(bytes)); }
IpAddress v6_of(std::string_view bytes) noexcept { return IpAddress::from_v6(bytes_of<16>(bytes)); }

// Reads two addresses, then two ports.
template <std::size_t kAddressBytes>
ProxyHeader with_route(ProxyHeader header, std::string_view block, IpAddress (*address_of)(std::string_view)) noexcept {
  if (block.size() < 2 * kAddressBytes + 4) return kInvalid;
  header.route = ProxyRoute{{address_of(block), big_endian(block.substr(2 * kAddressBytes))},
                            {address_of(block.substr(kAddressBytes)), big_endian(block.substr(2 * kAddressBytes + 2))}};
  return header;
}

// Decodes the addresses and ports of a version 2 header, section 2.2. `block` holds as many bytes as the header's
// length field states.
ProxyHeader decode_v2_route(std::uint8_t command, std::uint8_t family, std::string_view block) noexcept {
  const ProxyHeader header{.state = done, .bytes = kV2FixedBytes + block.size()};
  constexpr std::uint8_t kLocal = 0x20;
  if (command == kLocal) return header;  // whatever its family
  switch (family) {
    case 0x11:  // TCP over IPv4
      return with_route<4>(header, block, v4_of);
    case 0x21:  // TCP over IPv6
      return with_route<16>(header, block, v6_of);
    case 0x00:  // UNSPEC
    case 0x31:  // Unix stream
      return header;
    default:  // unassigned, or datagrams, which this connection does not carry
      return kInvalid;
  }
}

ProxyHeader decode_v2(std::string_view received) noexcept {
  if (received.size() > 12) {
    const auto command = static_cast<std::uint8_t>(received[12]);
    if (command != 0x20 && command != 0x21) return kInvalid;  // version 2, LOCAL or PROXY
  }
  if (received.size() < kV2FixedBytes) return kNeedMore;
  const std::size_t block_bytes = big_endian(received.substr(14));
  if (kV2FixedBytes + block_bytes > kProxyV2BytesMax) return kInvalid;
  if (received.size() < kV2FixedBytes + block_bytes) return kNeedMore;
  return decode_v2_route(static_cast<std::uint8_t>(received[12]), static_cast<std::uint8_t>(received[13]),
                         received.substr(kV2FixedBytes, block_bytes));
}

}  // namespace

ProxyHeader decode_proxy_header(std::string_view received) noexcept {
  if (received.empty()) return kNeedMore;
  if (begins(received, kV1Begin)) return received.size() < kV1Begin.size() ? kNeedMore : decode_v1(received);
  if (begins(received, kV2Signature)) return received.size() < kV2Signature.size() ? kNeedMore : decode_v2(received);
  return kInvalid;
}

}  // namespace volt::http::http1
