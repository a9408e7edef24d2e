// SPDX-License-Identifier: MIT

// Limits on one request, each with the status of the response when it is exceeded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace volt::http::http1 {

// Capacity of the decoder's inline array of fields. A larger `fields_max` is treated as this value.
inline constexpr std::size_t kFieldsCapacity = 128;

struct Limits {
  std::size_t request_line_bytes_max = 8 * 1024;  // Request line in bytes, without CRLF; 414 beyond it.
  std::size_t head_bytes_max = 32 * 1024;       // Request head in bytes, including leading empty lines; 431 beyond it.
  std::size_t fields_max = 100;                 // Number of header fields; 431 beyond it.
  std::uint64_t body_bytes_max = 1024 * 1024;   // Decoded body in bytes; 413 beyond it.
  std::size_t chunk_extension_bytes_max = 256;  // Extensions of one chunk in bytes, from the ';'; 400 beyond it.
  std::size_t extension_bytes_per_data_byte_max = 16;  // Ratio over the whole body, see ChunkedBody; 400 beyond it.
  std::size_t trailer_bytes_max = 8 * 1024;            // Trailer section in bytes; 400 beyond it.
  std::size_t trailer_fields_max = 32;                 // Number of trailer fields; 400 beyond it.
  std::size_t leading_empty_lines_max = 4;             // Empty lines before the request line; 400 beyond it.
};

}  // namespace volt::http::http1
