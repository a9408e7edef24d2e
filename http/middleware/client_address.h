// SPDX-License-Identifier: MIT

// ClientAddress: the IP address of the client. It is the address of the connection's peer or, behind trusted proxies,
// the address that the proxies name.
//
//   app.use(http::trust_proxies({"10.0.0.0/8"}));
//   app.get("/whoami", [](ClientAddress client) { return client.text(); });
//
// Forwarding fields of a request are ignored unless trust_proxies() names the proxies to trust; see
// http/message/forwarded.h for the rules. List trust_proxies() before the middleware that uses the address:
// rate_limit(), access_log().
//
// Threads: values, and factories that are called while the app is built. Cost: trust_proxies() takes one coroutine
// frame and two small allocations per request. Without trust_proxies(), ClientAddress copies the peer's address, which
// the connection keeps.
// Source: RFC 7239 section 5.2, 8.1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message/ip_address.h"
#include "http/web/middleware.h"
#include "http/web/request.h"

namespace volt::http {

class ClientAddress {
 public:
  // `ip`: empty if the client has no IP address, as on a unix socket.
  explicit ClientAddress(std::optional<message::IpAddress> ip) noexcept : ip_(ip) {}

  // Returns the address that trust_proxies() determined, or else the peer's address. This function makes ClientAddress
  // a possible parameter of handlers (http/web/argument.h).
  static ClientAddress from(const Request& request) noexcept;

  [[nodiscard]] const std::optional<message::IpAddress>& ip() const noexcept { return ip_; }
  // The address without a port: "192.0.2.1" or "2001:db8::1"; empty if there is none.
  [[nodiscard]] std::string text() const { return ip_ ? ip_->to_string() : std::string(); }

 private:
  std::optional<message::IpAddress> ip_;
};

// The field in which the proxies name the client. The proxies must set the field or append to it, whatever the client
// sent in it.
enum class ProxyField : std::uint8_t {
  x_forwarded_for,
  forwarded,  // RFC 7239
};

// Trusts the proxies whose addresses are in `blocks`, such as "10.0.0.0/8" or "192.0.2.1". Provides ClientAddress.
// Throws std::invalid_argument for a text that is not a block of addresses.
[[nodiscard]] Middleware trust_proxies(const std::vector<std::string>& blocks,
                                       ProxyField field = ProxyField::x_forwarded_for);

}  // namespace volt::http
