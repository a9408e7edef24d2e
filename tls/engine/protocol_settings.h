// What is the same for every certificate of a context: versions, ciphers, ALPN, modes.
#pragma once

#include "tls/engine/handles.h"
#include "tls/options.h"

namespace volt::tls::engine {

// False if libssl lacks what the preset needs.
[[nodiscard]] bool apply_protocol_settings(SSL_CTX* context, Preset preset);

}  // namespace volt::tls::engine
