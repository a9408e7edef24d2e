// SPDX-License-Identifier: MIT

#include "tls/internal/error_queue.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace volt::tls::internal {
namespace {

Error meaning_of(unsigned long code) noexcept {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return Error::malformed;  // such as an unreadable certificate or key share
  if (ERR_FATAL_ERROR(code)) return Error::internal;
  if (ERR_COMMON_ERROR(code)) return Error::malformed;  // libcrypto could not parse received data
  const int reason = ERR_GET_REASON(code);
  if (reason >= SSL_AD_REASON_OFFSET)
    return Error::refused_by_peer;  // the reason is the offset plus the number of the alert
  switch (reason) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SHARED_GROUPS:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
    case SSL_R_NO_APPLICATION_PROTOCOL:
    case SSL_R_INAPPROPRIATE_FALLBACK:
      return Error::negotiation_failed;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return Error::certificate_refused;
    default:
      return Error::malformed;
  }
}

}  // namespace

void clear_errors() noexcept { ERR_clear_error(); }

QueuedError take_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return {Error::internal, "", false};
  const char* words = ERR_reason_error_string(code);
  return {meaning_of(code), words == nullptr ? "" : words, true};
}

}  // namespace volt::tls::internal
