// SPDX-License-Identifier: MIT

#include "tls/internal/protocol_settings.h"

#include <string_view>

#include "tls/internal/error_queue.h"

namespace volt::tls::internal {
namespace {

// The cipher suites that wiki.mozilla.org/Security/Server_Side_TLS recommends. Preset (tls/options.h) says why some
// suites are missing.
constexpr const char* kSuites13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kSuites12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
// The first group is resistant to quantum computers; libssl before 3.5 does not know it.
constexpr const char* kGroups = "X25519MLKEM768:X25519:prime256v1:secp384r1";
constexpr const char* kClassicGroups = "X25519:prime256v1:secp384r1";

constexpr int kSecurityLevel = 2;  // 112 bits: RSA and DSA from 2048 bits, no SHA-1

bool set_groups(SSL_CTX* context) {
  const bool set = SSL_CTX_set1_groups_list(context, kGroups) == 1;
  clear_errors();
  return set || SSL_CTX_set1_groups_list(context, kClassicGroups) == 1;
}

// Returns whether `offered`, a list of names that each follow their length, contains the protocol.
bool offers(std::string_view offered, std::string_view protocol) {
  while (!offered.empty()) {
    const std::string_view name = offered.substr(1, static_cast<unsigned char>(offered.front()));
    if (name == protocol) return true;
    offered.remove_prefix(1 + name.size());
  }
  return false;
}

// Selects a version of HTTP/1. Rejects a client that offers only other protocols (RFC 7301 section 3.2).
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* bytes, const unsigned char* offered,
                    unsigned int offered_bytes, void*) {
  const std::string_view names(reinterpret_cast<const char*>(offered), offered_bytes);
  for (const std::string_view protocol : kApplicationProtocols) {
    if (!offers(names, protocol)) continue;
    *chosen = reinterpret_cast<const unsigned char*>(protocol.data());
    *bytes = static_cast<unsigned char>(protocol.size());
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

bool apply_protocol_settings(SSL_CTX* context, Preset preset) {
  SSL_CTX_set_security_level(context, kSecurityLevel);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA);
  // NO_AUTO_CHAIN matters for a certificate that is alone in its file. Without it, libssl would search the authorities
  // for client certificates in each handshake, and complete the certificate's chain from them.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
  // Reads what is available, instead of a record's header and then its rest. libssl 3.2 and later do so only after
  // the handshake.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  const int oldest = preset == Preset::modern ? TLS1_3_VERSION : TLS1_2_VERSION;
  return SSL_CTX_set_min_proto_version(context, oldest) == 1 && SSL_CTX_set_max_proto_version(context, 0) == 1 &&
         SSL_CTX_set_ciphersuites(context, kSuites13) == 1 && SSL_CTX_set_cipher_list(context, kSuites12) == 1 &&
         set_groups(context);
}

}  // namespace volt::tls::internal
