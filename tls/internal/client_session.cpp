// SPDX-License-Identifier: MIT

#include "tls/internal/client_session.h"

#include "tls/internal/error_queue.h"

namespace volt::tls::internal {

bool begin_as_client(SSL* ssl, const std::string& server) {
  SSL_set_connect_state(ssl);
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, server.c_str()) == 1) return true;
  clear_errors();  // `server` is not an IP address
  return SSL_set_tlsext_host_name(ssl, server.c_str()) == 1 && SSL_set1_host(ssl, server.c_str()) == 1;
}

}  // namespace volt::tls::internal
