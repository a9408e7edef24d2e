// SPDX-License-Identifier: MIT

#include "tls/client_context.h"

#include <utility>

#include "tls/internal/context_state.h"
#include "tls/internal/error_queue.h"
#include "tls/internal/pem.h"
#include "tls/internal/protocol_settings.h"

namespace volt::tls {

struct ClientContext::State {
  internal::SslContextHandle ssl;
  std::chrono::milliseconds handshake_timeout;
};

namespace internal {
namespace {

Loaded<void> trust(SSL_CTX* context, const std::string& source) {
  if (source.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1)
      return wrong("the system's certificate authorities", take_error().words);
    return {};
  }
  const auto pem = read_pem("authorities", source);
  if (!pem) return std::unexpected(pem.error());
  const auto certificates = parse_certificates(*pem);
  if (!certificates) return std::unexpected(certificates.error());
  for (const CertificateHandle& certificate : *certificates) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get()) != 1) {
      return wrong(pem->where, take_error().words);
    }
  }
  return {};
}

bool offer_http(SSL_CTX* context) {
  constexpr unsigned char kHttp[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  return SSL_CTX_set_alpn_protos(context, kHttp, sizeof kHttp) == 0;
}

}  // namespace
}  // namespace internal

ClientContext::ClientContext(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ClientContext::~ClientContext() = default;

std::expected<std::shared_ptr<const ClientContext>, std::string> ClientContext::load(const ClientOptions& options) {
  internal::clear_errors();
  internal::SslContextHandle ssl(SSL_CTX_new(TLS_client_method()));
  if (!ssl || !internal::apply_protocol_settings(ssl.get(), options.preset) || !internal::offer_http(ssl.get())) {
    return internal::wrong("libssl", internal::take_error().words);
  }
  SSL_CTX_set_verify(ssl.get(), SSL_VERIFY_PEER, nullptr);
  const auto trusted = internal::trust(ssl.get(), options.authorities);
  if (!trusted) return std::unexpected(trusted.error());
  auto state = std::make_unique<State>(std::move(ssl), options.handshake_timeout);
  return std::make_shared<const ClientContext>(std::move(state));
}

std::shared_ptr<const Context> ClientContext::for_host(const std::string& host) const {
  auto state = std::make_unique<Context::State>();
  SSL_CTX_up_ref(state_->ssl.get());
  state->certificates.emplace_back(state_->ssl.get());
  state->handshake_timeout = state_->handshake_timeout;
  state->server = host;
  return std::make_shared<const Context>(std::move(state));
}

}  // namespace volt::tls
