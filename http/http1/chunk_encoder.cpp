// SPDX-License-Identifier: MIT

#include "http/http1/chunk_encoder.h"

#include <charconv>
#include <cstddef>

namespace volt::http::http1 {

void append_chunk(std::string_view data, std::string& out) {
  if (data.empty()) return;
  char digits[2 * sizeof(std::size_t)];
  const char* const end = std::to_chars(digits, digits + sizeof digits, data.size(), 16).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits)).append("\r\n").append(data).append("\r\n");
}

void append_last_chunk(std::string_view trailer_lines, std::string& out) {
  out.append("0\r\n").append(trailer_lines).append("\r\n");
}

}  // namespace volt::http::http1
