// SPDX-License-Identifier: MIT

// Determines the client's address from the fields that proxies add: Forwarded (RFC 7239) or X-Forwarded-For.
//
// Any client may send these fields, and a proxy appends its element to the value that it received. So the elements are
// read from the right, and an element is believed only if a trusted proxy wrote it. A peer that is a trusted proxy
// wrote the last element. The address in each element is that of the proxy that wrote the element before it. Reading
// stops at the first address that is not trusted, so elements that the client itself wrote are never used.
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

// The field that the trusted proxies write. Only this field is read: proxies pass on the other field as the client sent
// it, so its content could be forged.
enum class ForwardedField { forwarded, x_forwarded_for };

// Returns the client's address: the first address that is not in `trusted`, beginning with `peer` and continuing with
// the elements from right to left. If all addresses are trusted, returns the leftmost one. An element that is not an
// address (unknown, obfuscated or malformed) ends the search: the address of the proxy that wrote it is returned.
IpAddress client_address(const IpAddress& peer, const Fields& fields, ForwardedField field,
                         std::span<const Cidr> trusted) noexcept;

// Returns the address of a node (RFC 7239 section 6): "192.0.2.1", "192.0.2.1:80" or "[2001:db8::1]:80".
// X-Forwarded-For's form "2001:db8::1" is accepted too. Returns nullopt for "unknown", "_hidden" and text that is not a
// node.
std::optional<IpAddress> parse_node(std::string_view node) noexcept;

}  // namespace volt::http::message
