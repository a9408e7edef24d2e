// Who the client is, behind proxies that say so: Forwarded (RFC 7239) or X-Forwarded-For.
//
// Anyone may send these fields, and a proxy appends to what it got. So what counts is read from the right, and only as
// far as those who wrote it are known: the peer's element is believed if the peer is a trusted proxy, the element before
// it if the address in that one is a trusted proxy, and so on. What a client wrote itself is never reached.
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

// Which field the trusted proxies write. One only: they pass the other on as the client made it.
enum class ForwardedField { forwarded, x_forwarded_for };

// The first address from the right that is not trusted, beginning with `peer`; if all are, the last one. An element that
// names no address (unknown, obfuscated, malformed) ends the walk at the proxy that wrote it.
IpAddress client_address(const IpAddress& peer, const Fields& fields, ForwardedField field,
                         std::span<const Cidr> trusted) noexcept;

// The address of a node (RFC 7239 section 6), "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]:80"; and, as X-Forwarded-For
// has it, "2001:db8::1". Nothing for "unknown", "_hidden" and what is no node.
std::optional<IpAddress> parse_node(std::string_view node) noexcept;

}  // namespace volt::http::message
