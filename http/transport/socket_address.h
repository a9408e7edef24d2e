// SPDX-License-Identifier: MIT

// Conversions between an IP address and a socket's address.
#pragma once

#include <cstdint>
#include <optional>

#include "http/message/ip_address.h"
#include "runtime/address.h"

namespace volt::http::transport {

// Returns the IP address; nullopt for a unix socket.
[[nodiscard]] std::optional<message::IpAddress> ip_of(const Address& address) noexcept;
[[nodiscard]] Address socket_address(const message::IpAddress& ip, std::uint16_t port) noexcept;

}  // namespace volt::http::transport
