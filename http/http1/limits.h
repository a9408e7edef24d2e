// Bounds on what one request may cost, each with the answer beyond it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace volt::http::http1 {

// The decoder keeps its fields inline, so `fields_max` above this counts as this.
inline constexpr std::size_t kFieldsCapacity = 128;

struct Limits {
  std::size_t request_line_bytes_max = 8 * 1024;       // without CRLF; beyond it, 414
  std::size_t head_bytes_max = 32 * 1024;              // all of the head, empty lines before it too; beyond it, 431
  std::size_t fields_max = 100;                        // beyond it, 431
  std::uint64_t body_bytes_max = 1024 * 1024;          // decoded; beyond it, 413
  std::size_t chunk_extension_bytes_max = 256;         // of one chunk, from the ';'; beyond it, 400
  std::size_t extension_bytes_per_data_byte_max = 16;  // over the whole body, see ChunkedBody; beyond it, 400
  std::size_t trailer_bytes_max = 8 * 1024;            // beyond it, 400
  std::size_t trailer_fields_max = 32;                 // beyond it, 400
  std::size_t leading_empty_lines_max = 4;             // beyond it, 400
};

}  // namespace volt::http::http1
