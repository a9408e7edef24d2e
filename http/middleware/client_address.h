// Who asks: the other end of the connection, or, behind proxies that are trusted to say so, whom they name.
//
//   app.use(http::trust_proxies({"10.0.0.0/8"}));
//   app.get("/whoami", [](ClientAddress client) { return client.text(); });
//
// Nothing that a request says of itself counts unless trust_proxies() says whom to believe: see
// http/message/forwarded.h for how far. List it before what uses the address: rate_limit(), access_log().
//
// Threads: values, and factories called while the app is built. Cost: trust_proxies() one frame and two small
// allocations a request; without it, ClientAddress asks the kernel for the peer's address.
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
  // Empty: the client has none, as on a unix socket.
  explicit ClientAddress(std::optional<message::IpAddress> ip) noexcept : ip_(ip) {}

  // What trust_proxies() found out, else the peer. Makes it a parameter of handlers.
  static ClientAddress from(const Request& request) noexcept;

  [[nodiscard]] const std::optional<message::IpAddress>& ip() const noexcept { return ip_; }
  // Without a port: "192.0.2.1", "2001:db8::1", or nothing.
  [[nodiscard]] std::string text() const { return ip_ ? ip_->to_string() : std::string(); }

 private:
  std::optional<message::IpAddress> ip_;
};

// Which field the proxies write: it must be one that they set or append to, whatever the client sent in it.
enum class ProxyField : std::uint8_t {
  x_forwarded_for,
  forwarded,  // RFC 7239
};

// `blocks`: the proxies, "10.0.0.0/8" or "192.0.2.1". Provides ClientAddress. Throws std::invalid_argument for what is
// no block of addresses.
[[nodiscard]] Middleware trust_proxies(const std::vector<std::string>& blocks,
                                       ProxyField field = ProxyField::x_forwarded_for);

}  // namespace volt::http
