// SPDX-License-Identifier: MIT

#include <stdexcept>
#include <utility>

#include "config/tls/internal/transport.h"
#include "config/tls/tls.h"
#include "http/web/problem.h"
#include "http/web/request.h"

namespace volt::tls {
namespace {

Task<http::Response> pass_with_certificate(http::Request& request, http::Next next) {
  const auto* certificate = request.connection_fact<ClientCertificate>();
  if (certificate == nullptr) {
    co_return http::Problem(http::Status::forbidden, "A client certificate is required.").to_response(request.id());
  }
  request.put(*certificate);
  co_return co_await next(request);
}

}  // namespace

http::ListenerOptions listener_options(const Options& options) {
  auto context = ReloadableContext::load(options);
  if (!context) throw std::invalid_argument(context.error());
  return {.proxy_protocol_from = {}, .transport = std::make_shared<config::TlsSource>(std::move(*context))};
}

http::Middleware require_client_certificate() {
  return http::provide<ClientCertificate>(http::Middleware(pass_with_certificate));
}

}  // namespace volt::tls
