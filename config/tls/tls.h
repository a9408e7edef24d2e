// SPDX-License-Identifier: MIT

// TLS listeners and client transports for HTTP.
//
//   app.listen("[::]:8443", tls::Options{.certificate = "full.pem", .key = "key.pem"});
//
// On such a listener Request::secure() is true, and Request::connection_fact<tls::HandshakeInfo>() returns the results
// of the handshake. A client that sends plain HTTP receives a 400 response without TLS.
//
// Threads: factories; call them while the app is built.
#pragma once

#include <memory>

#include "http/transport/listener_options.h"
#include "http/web/middleware.h"
#include "tls/client_options.h"
#include "tls/handshake_info.h"
#include "tls/options.h"

namespace volt::http {
class ClientTransportSource;
}

namespace volt::tls {

// Loads the certificates. Throws std::invalid_argument, whose message names the file and the error.
[[nodiscard]] http::ListenerOptions listener_options(const Options& options);

// Returns the https transport of an HttpClient: ClientOptions{.tls = tls::client_transport()}. Reads the trusted
// certificate authorities once: those of `options`, or else those of the system. Throws std::invalid_argument, whose
// message names the file and the error.
[[nodiscard]] std::shared_ptr<http::ClientTransportSource> client_transport(const ClientOptions& options = {});

// Provides From<tls::ClientCertificate>. A client without a certificate receives a 403 response. Use it for routes that
// require a certificate on a listener with ClientCertificates::optional. Cost: a copy of the certificate for each
// request.
[[nodiscard]] http::Middleware require_client_certificate();

}  // namespace volt::tls
