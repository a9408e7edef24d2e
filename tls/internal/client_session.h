// SPDX-License-Identifier: MIT

// Prepares the client side of a session before its handshake.
//
// Threads: those of Session.
#pragma once

#include <string>

#include "tls/internal/handles.h"

namespace volt::tls::internal {

// Makes `ssl` send `server` as SNI, and accept only a certificate for `server`. Returns false if libssl is out of
// memory, or if `server` is not a valid name.
[[nodiscard]] bool begin_as_client(SSL* ssl, const std::string& server);

}  // namespace volt::tls::internal
