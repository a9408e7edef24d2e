// What is the same for every certificate of a context: versions, ciphers, ALPN, modes.
#pragma once

#include <string_view>

#include "tls/internal/handles.h"
#include "tls/options.h"

namespace volt::tls::internal {

// The one that ALPN may settle.
inline constexpr std::string_view kApplicationProtocol = "http/1.1";

// False if libssl lacks what the preset needs.
[[nodiscard]] bool apply_protocol_settings(SSL_CTX* context, Preset preset);

}  // namespace volt::tls::internal
