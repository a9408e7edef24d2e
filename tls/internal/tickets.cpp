// SPDX-License-Identifier: MIT

#include "tls/internal/tickets.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

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

}  // namespace

void use_tickets(SSL_CTX* context, const Context::State& state) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_app_data(context, const_cast<Context::State*>(&state));
  SSL_CTX_set_timeout(context, static_cast<long>(state.ticket_keys->ticket_lifetime().count()));
  SSL_CTX_set_num_tickets(context, kTicketsPerHandshake);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, prepare);
}

void refuse_tickets(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}

}  // namespace volt::tls::internal
