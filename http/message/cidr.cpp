// SPDX-License-Identifier: MIT

#include "http/message/cidr.h"

#include <algorithm>
#include <cstddef>

#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

constexpr unsigned kAddressBits = 128;
constexpr unsigned kV4PrefixBits = 96;

std::optional<unsigned> parse_bits(std::string_view digits, unsigned bits_max) noexcept {
  if (digits.empty() || digits.size() > 3 || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  unsigned bits = 0;
  for (const char digit : digits) bits = bits * 10 + static_cast<unsigned>(digit - '0');
  return bits <= bits_max ? std::optional(bits) : std::nullopt;
}

std::byte mask(unsigned index, unsigned prefix_bits) noexcept {
  const unsigned before = index * 8;
  if (prefix_bits >= before + 8) return std::byte{0xff};
  if (prefix_bits <= before) return std::byte{0};
  return std::byte{0xff} << (before + 8 - prefix_bits);
}

}  // namespace

std::optional<Cidr> Cidr::parse(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  const std::string_view address_text = text.substr(0, slash);
  const auto address = IpAddress::parse(address_text);
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Cidr(*address, kAddressBits);

  const unsigned bits_before = message::contains(address_text, ':') ? 0 : kV4PrefixBits;
  const auto bits = parse_bits(text.substr(slash + 1), kAddressBits - bits_before);
  if (!bits) return std::nullopt;
  const unsigned prefix_bits = bits_before + *bits;
  for (unsigned i = 0; i < address->bytes().size(); ++i) {
    if ((address->bytes()[i] & ~mask(i, prefix_bits)) != std::byte{0}) return std::nullopt;
  }
  return Cidr(*address, prefix_bits);
}

bool Cidr::contains(const IpAddress& address) const noexcept {
  if (address.is_v4() != first_.is_v4()) return false;
  for (unsigned i = 0; i < address.bytes().size(); ++i) {
    if ((address.bytes()[i] & mask(i, prefix_bits_)) != first_.bytes()[i]) return false;
  }
  return true;
}

}  // namespace volt::http::message
