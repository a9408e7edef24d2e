// SPDX-License-Identifier: MIT

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/tls/internal/transport.h"
#include "config/tls/tls.h"
#include "http/transport/client_transport.h"
#include "tls/client_context.h"

namespace volt::tls {
namespace {

class TlsClientSource final : public http::ClientTransportSource {
 public:
  explicit TlsClientSource(std::shared_ptr<const ClientContext> context) noexcept : context_(std::move(context)) {}

  [[nodiscard]] std::unique_ptr<http::Transport> make(TcpStream& socket, const std::string& host) override {
    return std::make_unique<config::TlsTransport>(socket, context_->for_host(host));
  }

 private:
  const std::shared_ptr<const ClientContext> context_;
};

}  // namespace

std::shared_ptr<http::ClientTransportSource> client_transport(const ClientOptions& options) {
  auto context = ClientContext::load(options);
  if (!context) throw std::invalid_argument(context.error());
  return std::make_shared<TlsClientSource>(std::move(*context));
}

}  // namespace volt::tls
