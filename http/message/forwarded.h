// SPDX-License-Identifier: MIT

// Determines the client's address from the fields that proxies add: Forwarded (RFC 7239) or X-Forwarded-For.
//
// Any client may send these fields, and a proxy appends to the value it received. So the elements are read from the
// right, and only as far as their authors are trusted: the last element is believed if the peer is a trusted proxy, the
// element before it is believed if the last element names a trusted proxy, and so on. Elements that the client itself
// wrote are never reached.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "http/message/cidr.h"
#include "http/message/headers.h"
#include "http/message/ip_address.h"

namespace volt::http::message {

// The field that the trusted proxies write. Only one may be chosen: proxies pass the other field on as the client sent
// it.
enum class ForwardedField { forwarded, x_forwarded_for };

// Returns the first address from the right that is not trusted, beginning with `peer`; if all are trusted, the last
// address reached. An element that names no address (unknown, obfuscated, malformed) ends the walk at the proxy that
// wrote it.
IpAddress client_address(const IpAddress& peer, const Fields& fields, ForwardedField field,
                         std::span<const Cidr> trusted) noexcept;

// Returns the address of a node (RFC 7239 section 6): "192.0.2.1", "192.0.2.1:80" or "[2001:db8::1]:80".
// X-Forwarded-For's form "2001:db8::1" is accepted too. Returns nullopt for "unknown", "_hidden" and text that is not a
// node.
std::optional<IpAddress> parse_node(std::string_view node) noexcept;

}  // namespace volt::http::message
