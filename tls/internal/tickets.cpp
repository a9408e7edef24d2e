// SPDX-License-Identifier: MIT

#include "tls/internal/tickets.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tls/internal/error_queue.h"

namespace volt::tls::internal {
namespace {

// The default of libssl is two, for a client that opens several connections at once. One suffices, and each ticket
// makes the handshake more expensive.
constexpr std::size_t kTicketsPerHandshake = 1;

// Results of a ticket callback for libssl. "No key" and "no ticket" are both 0.
constexpr int kNoTicket = 0;
constexpr int kTicket = 1;
constexpr int kTicketToRenew = 2;

constexpr std::size_t kNameBytes = 16;
constexpr int kIvBytes = 16;

bool set_mac_key(EVP_MAC_CTX* mac, TicketKey& key) {
  char digest[] = "SHA256";
  const std::array<OSSL_PARAM, 3> parameters = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
}

int prepare_sealing(TicketKeys& keys, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                    EVP_MAC_CTX* mac) {
  auto key = keys.newest(TicketKeys::Clock::now());
  if (!key) return kNoTicket;
  std::ranges::copy(key->name, name);
  const bool ready = RAND_bytes(iv, kIvBytes) == 1 &&
                     EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) == 1 &&
                     set_mac_key(mac, *key);
  wipe(*key);
  return ready ? kTicket : kNoTicket;
}

// A TLS 1.3 client offers a ticket only once (RFC 8446 appendix C.4), so it receives a new ticket in each handshake.
int prepare_opening(const SSL* ssl, TicketKeys& keys, const unsigned char* name, const unsigned char* iv,
                    EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  auto found = keys.find(std::span<const unsigned char, kNameBytes>(name, kNameBytes), TicketKeys::Clock::now());
  if (!found) return kNoTicket;
  const bool ready = EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, found->key.cipher.data(), iv) == 1 &&
                     set_mac_key(mac, found->key);
  wipe(found->key);
  if (!ready) return kNoTicket;
  return found->newest && SSL_version(ssl) != TLS1_3_VERSION ? kTicket : kTicketToRenew;
}

int prepare(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int sealing) {
  const auto& state = *static_cast<const Context::State*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  return sealing != 0 ? prepare_sealing(*state.ticket_keys, name, iv, cipher, mac)
                      : prepare_opening(ssl, *state.ticket_keys, name, iv, cipher, mac);
}

// Whether a full handshake would still accept the client certificate in a ticket: it may have expired or been revoked
// since, and each resumption renews the ticket. A ticket does not hold the intermediate certificates that came with it;
// if one is needed, the result is false, and the client authenticates again.
bool is_still_accepted(SSL* ssl, X509* certificate) {
  const CertificateCheckHandle check(X509_STORE_CTX_new());
  X509_STORE* const authorities = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
  if (!check || X509_STORE_CTX_init(check.get(), authorities, certificate, nullptr) != 1 ||
      X509_STORE_CTX_set_default(check.get(), "ssl_client") != 1 ||
      X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(check.get()), SSL_get0_param(ssl)) != 1) {
    return false;
  }
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(check.get()), SSL_get_security_level(ssl));
  return X509_verify_cert(check.get()) == 1;
}

// Decides about a ticket that was received; `status` says whether it could be decrypted.
SSL_TICKET_RETURN judge(SSL* ssl, SSL_SESSION* session, const unsigned char*, std::size_t, SSL_TICKET_STATUS status,
                        void*) {
  if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW) return SSL_TICKET_RETURN_IGNORE_RENEW;
  X509* const client_certificate = SSL_SESSION_get0_peer(session);
  if (client_certificate != nullptr && !is_still_accepted(ssl, client_certificate)) {
    clear_errors();
    return SSL_TICKET_RETURN_IGNORE_RENEW;
  }
  return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
}

}  // namespace

void use_tickets(SSL_CTX* context, const Context::State& state) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_app_data(context, const_cast<Context::State*>(&state));
  SSL_CTX_set_timeout(context, static_cast<long>(state.ticket_keys->ticket_lifetime().count()));
  SSL_CTX_set_num_tickets(context, kTicketsPerHandshake);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, prepare);
  SSL_CTX_set_session_ticket_cb(context, nullptr, judge, nullptr);
}

void refuse_tickets(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}

}  // namespace volt::tls::internal
