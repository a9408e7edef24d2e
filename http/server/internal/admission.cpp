// SPDX-License-Identifier: MIT

#include "http/server/internal/admission.h"

#include "http/transport/socket_address.h"

namespace volt::http::server {

Admission::~Admission() {
  if (!server_state_) return;
  if (client_) server_state_->overload.clients.remove(*client_);
  server_state_->placement.leave(home_);
  listener_state_->connections.release();
  server_state_->overload.connections.release();
}

bool Admission::admit(const IoChannel& io_channel) {
  ClientCounts& clients = server_state_->overload.clients;
  if (clients.max() == 0) return true;
  const std::optional<Address> client = io_channel.client();
  if (!client) return true;
  const auto ip = transport::ip_of(*client);
  if (!ip) return true;  // a unix socket: its clients have no address
  client_ = clients.try_add(*ip);
  return client_.has_value();
}

}  // namespace volt::http::server
