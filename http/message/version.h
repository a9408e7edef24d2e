// SPDX-License-Identifier: MIT

// The supported versions. HTTP/1.2 and later versions of HTTP/1 are served as HTTP/1.1 (RFC 9112 section 2.3).
#pragma once

#include <cstdint>

namespace volt::http {
enum class Version : std::uint8_t { http_1_0, http_1_1 };
}  // namespace volt::http
