// SPDX-License-Identifier: MIT

// Writes a chunked body (RFC 9112 section 7.1).
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace volt::http::http1 {

// Appends `data` as one chunk. Appends nothing if `data` is empty, since an empty chunk would end the body.
void append_chunk(std::string_view data, std::string& out);
// Appends the last chunk and the trailer fields, given as complete lines.
void append_last_chunk(std::string_view trailer_lines, std::string& out);

}  // namespace volt::http::http1
