// SPDX-License-Identifier: MIT

// Decides which responses to compress. Compressing any other response would cost time and enlarge it, or is not
// allowed.
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
  std::size_t bytes_min = 1024;  // for smaller content, compression saves less than a packet
};

// Returns whether a media type is compressible: text, and formats that are text or as redundant as text (JSON, XML,
// SVG, JavaScript, WebAssembly, uncompressed fonts, ...). Formats that are already compressed or unknown are not.
// `content_type` is a field's value, with or without parameters.
bool compressible_media_type(std::string_view content_type) noexcept;

// Returns whether the type is server-sent events. Each event must then be flushed, because otherwise it would stay in
// the encoder until the next event.
bool needs_flush_per_event(std::string_view content_type) noexcept;

// Returns whether a response may and should be compressed. The result is false in these cases:
//   - it has no content or only partial content (1xx, 204, 205, 206, 304);
//   - it already has a Content-Encoding or a Content-Range;
//   - it has `Cache-Control: no-transform` (RFC 9111 section 5.2.2.6);
//   - its media type is not compressible, or its size is below bytes_min.
// `size_bytes` is empty for streamed content, whose size is not checked. If the result is true, the caller must add
// `Vary: Accept-Encoding`, whatever coding is chosen, because the response depends on that field.
bool worth_compressing(Status status, std::string_view content_type, const FieldList& fields,
                       std::optional<std::uint64_t> size_bytes, const CompressionRules& rules = {}) noexcept;

}  // namespace volt::http::coding
