// SPDX-License-Identifier: MIT

// The PROXY protocol, versions 1 and 2 (HAProxy, proxy-protocol.txt): the header that a load balancer sends before the
// client's first byte, to report the client's address.
//
// Only for listeners whose peers are all such load balancers: any peer that can send this header can claim any address.
// On such a listener the header is required, as the protocol demands: its absence is invalid, since guessing would let
// a client forge one.
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
  // The client's route, if done and the header names a client. Else the connection is the load balancer's own (LOCAL: a
  // health check) or of an unsupported family (UNKNOWN, UNSPEC, Unix sockets): use the socket's addresses.
  std::optional<ProxyRoute> route;

  bool operator==(const ProxyHeader&) const = default;
};

// Decodes the header from all bytes received so far, beginning with the connection's first byte. On need_more, call
// again with more bytes; this ends within the limits above. TLVs after the addresses of version 2 are skipped unread,
// including the checksum: TCP has a checksum, and an attacker who forges a header can forge its CRC32c.
ProxyHeader decode_proxy_header(std::string_view received) noexcept;

}  // namespace volt::http::http1
