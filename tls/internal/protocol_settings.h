// SPDX-License-Identifier: MIT

// Protocol settings that all certificates of a context share: versions, cipher suites, ALPN, modes.
#pragma once

#include <string_view>

#include "tls/internal/handles.h"
#include "tls/options.h"

namespace volt::tls::internal {

// The protocols that ALPN can negotiate; the first that a client offers is selected.
inline constexpr std::string_view kApplicationProtocols[] = {"http/1.1", "http/1.0"};

// Applies the settings. Returns false if libssl lacks a version, suite or group of the preset.
[[nodiscard]] bool apply_protocol_settings(SSL_CTX* context, Preset preset);

}  // namespace volt::tls::internal
