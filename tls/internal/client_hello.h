// What the server decides on reading the ClientHello: the certificate, by the host that the client names, and which
// tickets may resume.
//
// A ticket of one host must not resume on another, nor one from before client certificates were asked for afterwards
// (CVE-2025-23419). So the session id context, which libssl writes into each ticket and compares when one comes back,
// is a digest of the named host and the policy for clients. It is set here and not in the callback for server names,
// because libssl opens the tickets of TLS 1.3 before it calls that one.
//
// Threads: any; each call is about one connection.
#pragma once

#include <span>
#include <string_view>

#include "tls/internal/context_state.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// For the connections of `context`, whose BIO is a transport's: its bio_state is told the host's name.
void choose_on_client_hello(SSL_CTX* context, const Context::State& state);

// The host named in a server_name extension (RFC 6066 section 3); empty if there is none, or it is malformed: libssl
// refuses that by itself. Valid as long as the extension.
[[nodiscard]] std::string_view host_in(std::span<const unsigned char> extension) noexcept;

}  // namespace volt::tls::internal
