// SPDX-License-Identifier: MIT

#include "http/message/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace volt::http::message {
namespace {

constexpr std::size_t kV4Begins = 12;
constexpr std::array<std::byte, kV4Begins> kV4Prefix = [] {
  std::array<std::byte, kV4Begins> prefix{};
  prefix[10] = prefix[11] = std::byte{0xff};
  return prefix;
}();

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  std::array<char, INET6_ADDRSTRLEN> terminated{};  // inet_pton(3) needs a terminating NUL
  if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::ranges::copy(text, terminated.begin());

  std::array<std::byte, 4> v4;
  if (::inet_pton(AF_INET, terminated.data(), v4.data()) == 1) return from_v4(v4);
  std::array<std::byte, 16> v6;
  if (::inet_pton(AF_INET6, terminated.data(), v6.data()) == 1) return from_v6(v6);
  return std::nullopt;
}

IpAddress IpAddress::from_v4(std::span<const std::byte, 4> bytes) noexcept {
  IpAddress address;
  std::ranges::copy(kV4Prefix, address.bytes_.begin());
  std::ranges::copy(bytes, address.bytes_.begin() + kV4Begins);
  return address;
}

IpAddress IpAddress::from_v6(std::span<const std::byte, 16> bytes) noexcept {
  IpAddress address;
  std::ranges::copy(bytes, address.bytes_.begin());
  return address;
}

bool IpAddress::is_v4() const noexcept { return std::ranges::equal(std::span(bytes_).first<kV4Begins>(), kV4Prefix); }

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_v4()) {
    ::inet_ntop(AF_INET, bytes_.data() + kV4Begins, text.data(), text.size());
  } else {
    ::inet_ntop(AF_INET6, bytes_.data(), text.data(), text.size());
  }
  return text.data();
}

}  // namespace volt::http::message
