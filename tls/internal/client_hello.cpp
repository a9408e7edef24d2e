// SPDX-License-Identifier: MIT

#include "tls/internal/client_hello.h"

#include <array>
#include <cstddef>
#include <new>
#include <string>

#include "tls/internal/stream_bio.h"

namespace volt::tls::internal {
namespace {

std::string named_host(SSL* ssl) {
  const unsigned char* extension = nullptr;
  std::size_t bytes = 0;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &extension, &bytes) != 1) return {};
  return lower_case(host_in({extension, bytes}));
}

bool bind_tickets(SSL* ssl, const Context::State& state, std::string_view host) {
  std::string bound(reinterpret_cast<const char*>(state.client_policy.data()), state.client_policy.size());
  bound += host;
  std::array<unsigned char, 32> digest;
  return EVP_Digest(bound.data(), bound.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1 &&
         SSL_set_session_id_context(ssl, digest.data(), digest.size()) == 1;
}

bool choose(SSL* ssl, const Context::State& state) {
  std::string& host = bio_state_of(ssl).server_name;
  host = named_host(ssl);
  SSL_CTX* chosen = state.certificates[state.hosts.find(host).value_or(0)].get();
  return SSL_set_SSL_CTX(ssl, chosen) == chosen && bind_tickets(ssl, state, host);
}

int on_client_hello(SSL* ssl, int* alert, void* argument) noexcept {
  try {
    if (choose(ssl, *static_cast<const Context::State*>(argument))) return SSL_CLIENT_HELLO_SUCCESS;
  } catch (const std::bad_alloc&) {  // decided: it ends the connection, because no exception may pass through libssl
  }
  *alert = SSL_AD_INTERNAL_ERROR;
  return SSL_CLIENT_HELLO_ERROR;
}

}  // namespace

void choose_on_client_hello(SSL_CTX* context, const Context::State& state) {
  SSL_CTX_set_client_hello_cb(context, on_client_hello, const_cast<Context::State*>(&state));
}

// The extension is a list of names. RFC 6066 defines one kind of name, and allows one name of each kind. Layout: length
// of the list (2 bytes), kind (1), length of the name (2), the name.
std::string_view host_in(std::span<const unsigned char> extension) noexcept {
  constexpr std::size_t kBefore = 5;
  if (extension.size() < kBefore || extension[2] != TLSEXT_NAMETYPE_host_name) return {};
  const std::size_t bytes = static_cast<std::size_t>(extension[3]) << 8 | extension[4];
  if (bytes > TLSEXT_MAXLEN_host_name || bytes > extension.size() - kBefore) return {};
  return {reinterpret_cast<const char*>(extension.data()) + kBefore, bytes};
}

}  // namespace volt::tls::internal
