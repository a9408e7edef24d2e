// What a session does on the client's side before its handshake.
//
// Threads: as Session.
#pragma once

#include <string>

#include "tls/internal/handles.h"

namespace volt::tls::internal {

// It will ask for `server`, and accept a certificate for nobody else. False: libssl is out of memory, or that is no
// name.
[[nodiscard]] bool begin_as_client(SSL* ssl, const std::string& server);

}  // namespace volt::tls::internal
