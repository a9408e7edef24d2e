// SPDX-License-Identifier: MIT

// A block of addresses, such as "10.0.0.0/8" or "2001:db8::/32" (RFC 4632, RFC 4291 section 2.3). A value.
//
// Threads: values and pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "http/message/ip_address.h"

namespace volt::http::message {

class Cidr {
 public:
  // Returns the block that `text` names. An address without a prefix length is the block of that one address. Returns
  // nullopt if `text` is malformed, or if it has bits set beyond the prefix ("10.1.0.0/8"), because the meaning of such
  // text is ambiguous.
  static std::optional<Cidr> parse(std::string_view text) noexcept;

  // Returns whether `address` is in the block. A block of IPv6 contains no IPv4 address, however short its prefix:
  // trusting ::/0 does not imply trusting IPv4.
  bool contains(const IpAddress& address) const noexcept;

 private:
  Cidr(const IpAddress& first, unsigned prefix_bits) noexcept : first_(first), prefix_bits_(prefix_bits) {}

  IpAddress first_;
  unsigned prefix_bits_;  // prefix length, counted in the 128 bits of the IPv6 form
};

}  // namespace volt::http::message
