// The PROXY protocol, versions 1 and 2 (HAProxy, proxy-protocol.txt): what a load balancer sends before the client's
// first byte, to tell who the client is.
//
// Only for listeners whose peers are all such balancers: whoever can send this header can claim any address. There it is
// required, as the protocol demands: its absence is invalid, since guessing would let a client forge one.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/ip_address.h"

namespace volt::http::http1 {

inline constexpr std::size_t kProxyV1BytesMax = 107;   // section 2.1, with its CRLF
inline constexpr std::size_t kProxyV2BytesMax = 4096;  // ours: 65,551 could be said, for no use known

struct ProxyEndpoint {
  message::IpAddress address;
  std::uint16_t port = 0;

  bool operator==(const ProxyEndpoint&) const = default;
};

struct ProxyRoute {
  ProxyEndpoint source;       // the client
  ProxyEndpoint destination;  // where it connected to

  bool operator==(const ProxyRoute&) const = default;
};

struct ProxyHeader {
  enum class State : std::uint8_t {
    need_more,  // so far a header's beginning
    done,
    invalid,  // close the connection without a word (section 2)
  };

  State state = State::need_more;
  std::size_t bytes = 0;  // if done: how many of the bytes given were the header; the rest is the client's
  // If done and a client was named. Else the connection is the balancer's own (LOCAL: a health check), or its family is
  // one that we do not know (UNKNOWN, UNSPEC, Unix sockets): the socket's addresses stand.
  std::optional<ProxyRoute> route;

  bool operator==(const ProxyHeader&) const = default;
};

// Of all bytes received so far, from the connection's first. Call again with more of them upon need_more; that ends
// within the limits above. What comes behind the addresses of version 2 (TLVs) is skipped unread, checksum included:
// TCP has one, and who forges a header forges its CRC32c.
ProxyHeader decode_proxy_header(std::string_view received) noexcept;

}  // namespace volt::http::http1
