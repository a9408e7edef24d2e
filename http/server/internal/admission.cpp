#include "http/server/internal/admission.h"

#include "http/transport/socket_address.h"

namespace volt::http::server {

Admission::~Admission() {
  if (!site_) return;
  if (client_) site_->overload.clients.remove(*client_);
  site_->placement.leave(home_);
  entrance_->connections.leave();
  site_->overload.connections.leave();
}

bool Admission::admit(const Wire& wire) {
  ClientCounts& clients = site_->overload.clients;
  if (clients.max() == 0) return true;
  const std::optional<Address> client = wire.client();
  if (!client) return true;
  const auto ip = transport::ip_of(*client);
  if (!ip) return true;  // of a unix socket: who that is cannot be told
  client_ = clients.try_add(*ip);
  return client_.has_value();
}

}  // namespace volt::http::server
