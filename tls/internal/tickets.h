// SPDX-License-Identifier: MIT

// Session tickets (RFC 5077 section 4, RFC 8446 section 4.6.1). They are encrypted with AES-256-CBC and authenticated
// with HMAC-SHA-256, under the newest of the TicketKeys. A ticket with a client certificate resumes only while a full
// handshake would accept the certificate; this verification costs as much as in a full handshake.
#pragma once

#include <chrono>

#include "tls/internal/context_state.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// Enables tickets with the keys in `state`, which must outlive `context`. Disables the session cache.
void use_tickets(SSL_CTX* context, const Context::State& state);
// Disables tickets and the session cache.
void refuse_tickets(SSL_CTX* context);

}  // namespace volt::tls::internal
