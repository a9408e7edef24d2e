// SPDX-License-Identifier: MIT

// MultipartLimits: limits for a form with files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace volt::http::multipart {

struct MultipartLimits {
  std::size_t parts_max = 100;
  std::size_t head_bytes_max = 8 * 1024;  // Maximum size of one part's head, including its empty line.
  std::size_t fields_max = 16;            // Maximum number of one part's header fields.
  std::size_t preamble_bytes_max = 1024;  // Maximum size before the first delimiter; clients send nothing there.
  std::size_t epilogue_bytes_max = 1024;  // Maximum size after the last delimiter; clients send CRLF.
  std::optional<std::uint64_t> body_bytes_max = std::nullopt;  // Maximum size of the body; nullopt: the server's limit.
};

}  // namespace volt::http::multipart
