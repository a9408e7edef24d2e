// How a form with files is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace volt::http::multipart {

struct MultipartLimits {
  std::size_t parts_max = 100;
  std::size_t head_bytes_max = 8 * 1024;                       // of one part, with its empty line
  std::size_t fields_max = 16;                                 // of one part
  std::size_t preamble_bytes_max = 1024;                       // before the first delimiter; clients send none
  std::size_t epilogue_bytes_max = 1024;                       // behind the last delimiter; clients send CRLF
  std::optional<std::uint64_t> body_bytes_max = std::nullopt;  // all together; none: as for any body
};

}  // namespace volt::http::multipart
