// SPDX-License-Identifier: MIT

#include "http/middleware/client_address.h"

#include <stdexcept>
#include <utility>

#include "http/message/cidr.h"
#include "http/message/forwarded.h"
#include "http/transport/socket_address.h"

namespace volt::http {
namespace {

std::optional<message::IpAddress> peer_of(const Request& request) noexcept {
  const std::optional<Address> peer = request.peer();
  return peer ? transport::ip_of(*peer) : std::nullopt;
}

message::ForwardedField as_message_field(ProxyField field) noexcept {
  switch (field) {
    case ProxyField::x_forwarded_for:
      return message::ForwardedField::x_forwarded_for;
    case ProxyField::forwarded:
      return message::ForwardedField::forwarded;
  }
  std::unreachable();
}

class TrustProxies {
 public:
  TrustProxies(std::vector<message::Cidr> trusted, message::ForwardedField field)
      : trusted_(std::move(trusted)), field_(field) {}

  Task<Response> operator()(Request& request, Next next) {
    std::optional<message::IpAddress> client = peer_of(request);
    if (client) client = message::client_address(*client, request.headers(), field_, trusted_);
    request.put(ClientAddress(client));
    co_return co_await next(request);
  }

 private:
  std::vector<message::Cidr> trusted_;
  message::ForwardedField field_;
};

}  // namespace

ClientAddress ClientAddress::from(const Request& request) noexcept {
  const ClientAddress* found = request.find<ClientAddress>();
  return found != nullptr ? *found : ClientAddress(peer_of(request));
}

Middleware trust_proxies(const std::vector<std::string>& blocks, ProxyField field) {
  std::vector<message::Cidr> trusted;
  for (const std::string& block : blocks) {
    const auto parsed = message::Cidr::parse(block);
    if (!parsed) throw std::invalid_argument("trust_proxies: not an address block (such as 10.0.0.0/8): " + block);
    trusted.push_back(*parsed);
  }
  return provide<ClientAddress>(Middleware(TrustProxies(std::move(trusted), as_message_field(field))));
}

}  // namespace volt::http
