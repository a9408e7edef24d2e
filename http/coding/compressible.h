// Which answers are worth a content coding. Others would cost time and grow, or must be left as they are.
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
  std::size_t bytes_min = 1024;  // below it, what is saved does not fill a packet
};

// `content_type` is a field's value, with or without parameters: text, and formats that are text or as sparse as text
// (JSON, XML, SVG, JavaScript, WebAssembly, uncompressed fonts, ...). What is compressed already, or unknown, is not.
bool compressible_media_type(std::string_view content_type) noexcept;

// Server-sent events: each must be flushed, or it waits inside the encoder for the next.
bool needs_flush_per_event(std::string_view content_type) noexcept;

// May, and should, an answer be compressed? Not if it has no content or a part of it (1xx, 204, 205, 206, 304), a
// Content-Encoding or a Content-Range already, `Cache-Control: no-transform` (RFC 9111 section 5.2.2.6), a media type
// that gains nothing, or less than bytes_min. `size_bytes` is empty where content is streamed: then size says nothing.
// An answer of which this says yes depends on Accept-Encoding, whatever is chosen: it needs `Vary: Accept-Encoding`.
bool worth_compressing(Status status, std::string_view content_type, const FieldList& fields,
                       std::optional<std::uint64_t> size_bytes, const CompressionRules& rules = {}) noexcept;

}  // namespace volt::http::coding
