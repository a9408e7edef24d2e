// A block of addresses, "10.0.0.0/8" or "2001:db8::/32" (RFC 4632, RFC 4291 section 2.3). A value.
//
// Threads: values and pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "http/message/ip_address.h"

namespace volt::http::message {

class Cidr {
 public:
  // An address alone is the block of it. Bits set beyond the prefix ("10.1.0.0/8") are refused: two things were meant.
  static std::optional<Cidr> parse(std::string_view text) noexcept;

  // Blocks of IPv6 hold no IPv4 address, however short their prefix: who trusts ::/0 has not spoken of IPv4.
  bool contains(const IpAddress& address) const noexcept;

 private:
  Cidr(const IpAddress& first, unsigned prefix_bits) noexcept : first_(first), prefix_bits_(prefix_bits) {}

  IpAddress first_;
  unsigned prefix_bits_;  // of the 128
};

}  // namespace volt::http::message
