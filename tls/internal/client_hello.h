// SPDX-License-Identifier: MIT

// Handles the ClientHello in a server: selects the certificate by the client's host name (SNI), and determines which
// tickets may resume.
//
// A ticket must not resume on another host, nor after the server began to request client certificates (CVE-2025-23419).
// So the session id context, which libssl writes into each ticket and compares on resumption, is a digest of the host
// name and of the policy for client certificates. It is set in the callback for the ClientHello and not in the callback
// for server names, because libssl decrypts the tickets of TLS 1.3 before it calls the callback for server names.
//
// Threads: any; each call concerns one connection.
#pragma once

#include <span>
#include <string_view>

#include "tls/internal/context_state.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// Installs the callback for the connections of `context`, whose BIOs must come from make_stream_bio(). The callback
// stores the host name in BioState::server_name. `state` must outlive `context`.
void choose_on_client_hello(SSL_CTX* context, const Context::State& state);

// Returns the host name in a server_name extension (RFC 6066 section 3); empty if there is none, or if the extension is
// malformed, which libssl itself rejects. The view lives as long as the extension.
[[nodiscard]] std::string_view host_in(std::span<const unsigned char> extension) noexcept;

}  // namespace volt::tls::internal
