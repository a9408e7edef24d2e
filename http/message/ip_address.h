// SPDX-License-Identifier: MIT

// An IPv4 or IPv6 address. A value.
//
// IPv4 is stored as an IPv4-mapped IPv6 address, ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2), and both spellings are
// equal: a socket that listens on both families reports IPv4 clients in the mapped form.
//
// Threads: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace volt::http::message {

class IpAddress {
 public:
  // Parses "192.0.2.1" or "2001:db8::1": without port, brackets, zone or white space, and IPv4 in dotted-decimal form
  // only.
  static std::optional<IpAddress> parse(std::string_view text) noexcept;
  static IpAddress from_v4(std::span<const std::byte, 4> bytes) noexcept;
  static IpAddress from_v6(std::span<const std::byte, 16> bytes) noexcept;

  IpAddress() = default;  // the unspecified address, ::

  bool is_v4() const noexcept;
  // Returns the address in network byte order; IPv4 in its mapped IPv6 form.
  const std::array<std::byte, 16>& bytes() const noexcept { return bytes_; }
  // Returns IPv4 as dotted decimal and IPv6 in the form of RFC 5952.
  std::string to_string() const;

  bool operator==(const IpAddress&) const = default;

 private:
  std::array<std::byte, 16> bytes_{};
};

}  // namespace volt::http::message
