// SPDX-License-Identifier: MIT

#include "tls/context.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tls/internal/certificate_info.h"
#include "tls/internal/client_hello.h"
#include "tls/internal/context_state.h"
#include "tls/internal/error_queue.h"
#include "tls/internal/pem.h"
#include "tls/internal/protocol_settings.h"
#include "tls/internal/tickets.h"

namespace volt::tls {
namespace internal {
namespace {

// The authorities that may sign client certificates, what they have revoked, and the PEM text of both.
struct Authorities {
  std::vector<CertificateHandle> certificates;
  std::vector<RevocationListHandle> revocation_lists;
  std::string pem;
};

void warn_if_out_of_date(const X509* certificate, std::string_view where, std::vector<std::string>& warnings) {
  if (const auto fault = out_of_date(certificate)) warnings.push_back(std::string(where) + ": " + *fault);
}

Loaded<Authorities> load_authorities(const Options& options, std::vector<std::string>& warnings) {
  const bool asked = options.client_certificates != ClientCertificates::none;
  if (!asked && options.client_ca.empty() && options.client_crl.empty()) return Authorities{};
  if (!asked)
    return wrong(options.client_ca.empty() ? "client_crl" : "client_ca", "is set, but client_certificates is none");
  auto pem = read_pem("client_ca", options.client_ca);
  if (!pem) return std::unexpected(std::move(pem.error()));
  auto certificates = parse_certificates(*pem);
  if (!certificates) return std::unexpected(std::move(certificates.error()));
  for (const CertificateHandle& certificate : *certificates)
    warn_if_out_of_date(certificate.get(), pem->where, warnings);
  Authorities authorities{std::move(*certificates), {}, std::move(pem->text)};
  if (options.client_crl.empty()) return authorities;
  const auto crl_pem = read_pem("client_crl", options.client_crl);
  if (!crl_pem) return std::unexpected(crl_pem.error());
  auto lists = parse_revocation_lists(*crl_pem);
  if (!lists) return std::unexpected(std::move(lists.error()));
  for (const RevocationListHandle& list : *lists) {
    if (const auto fault = out_of_date(list.get())) warnings.push_back(crl_pem->where + ": " + *fault);
  }
  authorities.revocation_lists = std::move(*lists);
  authorities.pem += crl_pem->text;
  return authorities;
}

Loaded<void> use_certificates(SSL_CTX* context, std::span<CertificateHandle> chain, std::string_view where) {
  bool used = SSL_CTX_use_certificate(context, chain.front().get()) == 1;
  for (CertificateHandle& certificate : chain.subspan(1)) {
    used = used && SSL_CTX_add0_chain_cert(context, certificate.get()) == 1;
    if (used) static_cast<void>(certificate.release());
  }
  if (!used) return wrong(where, take_error().words);
  return {};
}

Loaded<std::vector<CertificateHandle>> load_certificate(SSL_CTX* context, const CertificateAndKey& source,
                                                        const Passphrase& passphrase,
                                                        std::vector<std::string>& warnings) {
  const auto certificate_pem = read_pem("certificate", source.certificate);
  if (!certificate_pem) return std::unexpected(certificate_pem.error());
  auto chain = parse_certificates(*certificate_pem);
  if (!chain) return chain;
  const auto key_pem = read_pem("key", source.key);
  if (!key_pem) return std::unexpected(key_pem.error());
  const auto key = parse_key(*key_pem, passphrase);
  if (!key) return std::unexpected(key.error());

  warn_if_out_of_date(chain->front().get(), certificate_pem->where, warnings);
  if (X509_check_private_key(chain->front().get(), key->get()) != 1) {
    clear_errors();
    return wrong(key_pem->where, "is not the key of " + certificate_pem->where);
  }
  auto used = use_certificates(context, *chain, certificate_pem->where);
  if (!used) return std::unexpected(std::move(used.error()));
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1) return wrong(key_pem->where, take_error().words);
  return chain;
}

bool ask_for_client_certificates(SSL_CTX* context, ClientCertificates policy, const Authorities& authorities) {
  if (policy == ClientCertificates::none) return true;
  const int enforce = policy == ClientCertificates::required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | enforce, nullptr);
  bool added = true;
  for (const CertificateHandle& authority : authorities.certificates) {
    added = added && X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) == 1 &&
            SSL_CTX_add_client_CA(context, authority.get()) == 1;
  }
  if (authorities.revocation_lists.empty()) return added;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const RevocationListHandle& list : authorities.revocation_lists) {
    added = added && X509_STORE_add_crl(store, list.get()) == 1;
  }
  return added && X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) == 1;
}

Loaded<SslContextHandle> make_ssl_context(const Options& options, const Authorities& authorities,
                                          const Context::State& state) {
  SslContextHandle context(SSL_CTX_new(TLS_server_method()));
  if (!context || !apply_protocol_settings(context.get(), options.preset) ||
      !ask_for_client_certificates(context.get(), options.client_certificates, authorities)) {
    return wrong("libssl", take_error().words);
  }
  choose_on_client_hello(context.get(), state);
  if (options.session_tickets) {
    use_tickets(context.get(), state);
  } else {
    refuse_tickets(context.get());
  }
  return context;
}

Loaded<void> add_certificate(Context::State& state, const CertificateAndKey& source, const Options& options,
                             const Passphrase& passphrase, const Authorities& authorities) {
  clear_errors();
  auto context = make_ssl_context(options, authorities, state);
  if (!context) return std::unexpected(std::move(context.error()));
  const auto chain = load_certificate(context->get(), source, passphrase, state.warnings);
  if (!chain) return std::unexpected(chain.error());
  for (const std::string& name : dns_names(chain->front().get())) state.hosts.add(name, state.certificates.size());
  state.certificates.push_back(std::move(*context));
  return {};
}

bool digest_policy(Context::State& state, const Options& options, const Authorities& authorities) {
  const std::string policy = static_cast<char>(options.client_certificates) + authorities.pem;
  return EVP_Digest(policy.data(), policy.size(), state.client_policy.data(), nullptr, EVP_sha256(), nullptr) == 1;
}

}  // namespace
}  // namespace internal

Context::Context(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Context::~Context() = default;

std::expected<std::shared_ptr<const Context>, std::string> Context::load(
    const Options& options, std::shared_ptr<internal::TicketKeys> ticket_keys) {
  auto state = std::make_unique<State>();
  if (!ticket_keys)
    ticket_keys =
        std::make_shared<internal::TicketKeys>(std::chrono::ceil<std::chrono::seconds>(options.ticket_key_lifetime));
  state->ticket_keys = std::move(ticket_keys);
  state->handshake_timeout = options.handshake_timeout;
  const auto authorities = internal::load_authorities(options, state->warnings);
  if (!authorities) return std::unexpected(authorities.error());
  if (!internal::digest_policy(*state, options, *authorities))
    return std::unexpected("libssl: SHA-256 is not available");

  const auto passphrase = internal::read_passphrase(options.key_password_file);
  if (!passphrase) return std::unexpected(passphrase.error());
  std::vector<CertificateAndKey> sources = {{options.certificate, options.key}};
  sources.insert(sources.end(), options.more_certificates.begin(), options.more_certificates.end());
  for (const CertificateAndKey& source : sources) {
    const auto added = internal::add_certificate(*state, source, options, *passphrase, *authorities);
    if (!added) return std::unexpected(added.error());
  }
  return std::make_shared<const Context>(std::move(state));
}

const std::vector<std::string>& Context::warnings() const noexcept { return state_->warnings; }
bool Context::is_client() const noexcept { return !state_->server.empty(); }
std::chrono::milliseconds Context::handshake_timeout() const noexcept { return state_->handshake_timeout; }

}  // namespace volt::tls
