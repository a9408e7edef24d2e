// TLS for HTTP: where the two meet.
//
//   app.listen("[::]:8443", tls::Options{.certificate = "full.pem", .key = "key.pem"});
//
// Request::secure() is true on such a listener, and Request::connection_fact<tls::HandshakeInfo>() says what the
// handshake has settled. A client that speaks HTTP without TLS there is told so, in plain text, with status 400.
//
// Threads: factories, called while the app is built.
#pragma once

#include <memory>

#include "http/transport/client_transport.h"
#include "http/transport/listener_options.h"
#include "http/web/middleware.h"
#include "tls/client_options.h"
#include "tls/handshake_info.h"
#include "tls/options.h"

namespace volt::tls {

// Loads the certificates. Throws std::invalid_argument, which names the file and what is wrong with it.
[[nodiscard]] http::ListenerOptions listener_options(const Options& options);

// https for an HttpClient: ClientOptions{.tls = tls::client_transport()}. Reads whom the machine trusts, once. Throws
// std::invalid_argument.
[[nodiscard]] std::shared_ptr<http::ClientTransportSource> client_transport(const ClientOptions& options = {});

// Provides From<tls::ClientCertificate>; whoever has none is answered 403. For routes that want one on a listener that
// leaves it to the client (ClientCertificates::optional). Cost: a copy of the certificate for each request.
[[nodiscard]] http::Middleware require_client_certificate();

}  // namespace volt::tls
