// SPDX-License-Identifier: MIT

// The PROXY protocol, versions 1 and 2 (HAProxy, proxy-protocol.txt): the header that a load balancer sends before the
// client's first byte, to report the client's address.
//
// Use it only on listeners that are reachable for such load balancers alone: any peer that can send this header can
// claim any address. On such a listener every connection must begin with the header, as the protocol demands. A
// connection without one is invalid: if the header were optional, a client could send a forged one.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/ip_address.h"

namespace volt::http::http1 {

inline constexpr std::size_t kProxyV1BytesMax = 107;   // section 2.1, including CRLF
inline constexpr std::size_t kProxyV2BytesMax = 4096;  // chosen here; the protocol allows 65,551, for no known use

struct ProxyEndpoint {
  message::IpAddress address;
  std::uint16_t port = 0;

  bool operator==(const ProxyEndpoint&) const = default;
};

struct ProxyRoute {
  ProxyEndpoint source;       // the client
  ProxyEndpoint destination;  // the address that the client connected to

  bool operator==(const ProxyRoute&) const = default;
};

struct ProxyHeader {
  enum class State : std::uint8_t {
    need_more,  // the bytes so far are the beginning of a header
    done,
    invalid,  // the caller must close the connection without a response (section 2)
  };

  State state = State::need_more;
  std::size_t bytes = 0;  // if done: length of the header; the client's bytes follow it
  // The client's addresses, if `state` is done and the header names a client. nullopt: use the socket's addresses. In
  // this case the load balancer opened the connection for itself (LOCAL, such as a health check), or the family is
  // unsupported (UNKNOWN, UNSPEC, Unix sockets).
  std::optional<ProxyRoute> route;

  bool operator==(const ProxyHeader&) const = default;
};

// Decodes the header. `received` holds all bytes received so far, beginning with the connection's first byte. On
// need_more, call again with more bytes; with kProxyV2BytesMax bytes the result is never need_more. The TLVs of version
// 2 are skipped, and its checksum (CRC32c) is not verified: TCP detects damage, and an attacker who can forge a header
// can also compute its checksum.
ProxyHeader decode_proxy_header(std::string_view received) noexcept;

}  // namespace volt::http::http1
