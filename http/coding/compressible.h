// SPDX-License-Identifier: MIT

// Decides which responses to compress. Compressing others would cost time and enlarge them, or is not allowed.
//
// Threads: pure functions and constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/headers.h"
#include "http/message/status.h"

namespace volt::http::coding {

struct CompressionRules {
  std::size_t bytes_min = 1024;  // below this size, the saving does not fill a packet
};

// Returns whether a media type is compressible: text, and formats that are text or as sparse as text (JSON, XML, SVG,
// JavaScript, WebAssembly, uncompressed fonts, ...). Formats that are already compressed or unknown are not.
// `content_type` is a field's value, with or without parameters.
bool compressible_media_type(std::string_view content_type) noexcept;

// Returns whether the type is server-sent events: each event must be flushed, or it waits in the encoder for the next
// one.
bool needs_flush_per_event(std::string_view content_type) noexcept;

// Returns whether a response may and should be compressed. It should not if it has no content or partial content (1xx,
// 204, 205, 206, 304), a Content-Encoding or a Content-Range already, `Cache-Control: no-transform` (RFC 9111 section
// 5.2.2.6), a media type that gains nothing, or less than bytes_min. `size_bytes` is empty for streamed content, whose
// size is not checked. If the result is true, the response depends on Accept-Encoding, whatever coding is chosen: it
// needs `Vary: Accept-Encoding`.
bool worth_compressing(Status status, std::string_view content_type, const FieldList& fields,
                       std::optional<std::uint64_t> size_bytes, const CompressionRules& rules = {}) noexcept;

}  // namespace volt::http::coding
