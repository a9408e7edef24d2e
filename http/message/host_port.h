// SPDX-License-Identifier: MIT

// Splits a request's host, `name:port` or `[address]:port`.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace volt::http::message {

// Returns the name, or the address with its brackets, as a view into `host`.
constexpr std::string_view without_port(std::string_view host) noexcept {
  const std::size_t address_end = host.starts_with('[') ? host.find(']') : 0;  // an IPv6 address contains colons
  return address_end == std::string_view::npos ? host : host.substr(0, host.find(':', address_end));
}

}  // namespace volt::http::message
