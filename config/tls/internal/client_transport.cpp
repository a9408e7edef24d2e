// SPDX-License-Identifier: MIT

#include "config/tls/internal/client_transport.h"

#include <stdexcept>
#include <utility>

#include "config/tls/tls.h"

namespace volt {
namespace config {

Task<bool> TlsClientTransport::open(TcpStream& socket) {
  stream_.emplace(socket, context_);
  auto shaking = stream_->handshake();
  const Result<void> agreed = co_await std::move(shaking);
  if (agreed) facts_.put(stream_->handshake_info());
  if (!agreed) failure_ = agreed.error();
  co_return agreed.has_value();
}

}  // namespace config

std::shared_ptr<http::ClientTransportSource> tls::client_transport(const ClientOptions& options) {
  auto context = ClientContext::load(options);
  if (!context) throw std::invalid_argument(context.error());
  return std::make_shared<config::TlsClientSource>(std::move(*context));
}

}  // namespace volt
