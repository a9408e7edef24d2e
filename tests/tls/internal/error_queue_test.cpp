// SPDX-License-Identifier: MIT

#include "tls/internal/error_queue.h"

#include <doctest/doctest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <ostream>
#include <string>

namespace volt::tls::internal {

TEST_SUITE_BEGIN("tls/internal/error_queue");

TEST_CASE("take_error returns the first error and empties the queue") {
  clear_errors();
  CHECK_FALSE(take_error().found);
  ERR_raise(ERR_LIB_SSL, SSL_R_NO_SHARED_CIPHER);
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_PACKET);
  const QueuedError first = take_error();
  CHECK(first.found);
  CHECK(first.words == "no shared cipher");
  CHECK_FALSE(take_error().found);
}

TEST_CASE("reasons of libssl map to errors") {
  struct Case {
    std::string why;
    int library;
    int reason;
    Error error;
  };
  const Case cases[] = {
      {"no version in common", ERR_LIB_SSL, SSL_R_UNSUPPORTED_PROTOCOL, Error::negotiation_failed},
      {"no protocol in common", ERR_LIB_SSL, SSL_R_NO_APPLICATION_PROTOCOL, Error::negotiation_failed},
      {"no certificate", ERR_LIB_SSL, SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, Error::certificate_refused},
      {"a bad certificate", ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED, Error::certificate_refused},
      {"an alert", ERR_LIB_SSL, SSL_R_TLSV1_ALERT_UNKNOWN_CA, Error::refused_by_peer},
      {"an unknown alert", ERR_LIB_SSL, SSL_AD_REASON_OFFSET + 255, Error::refused_by_peer},
      {"an unexpected message", ERR_LIB_SSL, SSL_R_UNEXPECTED_MESSAGE, Error::malformed},
      {"an unreadable certificate, reported by libssl", ERR_LIB_SSL, ERR_R_ASN1_LIB, Error::malformed},
      {"an unreadable key share, reported by libcrypto", ERR_LIB_EC, 100, Error::malformed},
      {"out of memory", ERR_LIB_SSL, ERR_R_MALLOC_FAILURE, Error::internal},
      {"an internal error of libssl", ERR_LIB_SSL, ERR_R_INTERNAL_ERROR, Error::internal},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    clear_errors();
    ERR_raise(c.library, c.reason);
    CHECK(take_error().error == c.error);
  }
}

}  // namespace volt::tls::internal
