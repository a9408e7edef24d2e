// Session tickets (RFC 5077 section 4, RFC 8446 section 4.6.1): sealed with AES-256-CBC and HMAC-SHA-256 under the
// newest of the TicketKeys.
#pragma once

#include <chrono>

#include "tls/internal/context_state.h"
#include "tls/internal/handles.h"

namespace volt::tls::internal {

// `state` has the keys. No cache on our side in any case.
void use_tickets(SSL_CTX* context, const Context::State& state);
void refuse_tickets(SSL_CTX* context);

}  // namespace volt::tls::internal
