// SPDX-License-Identifier: MIT

// static_text: refuses text that may be freed or changed while it is read.
//
// A handler may return a literal, whose type is then `const char*`. A literal is in the read-only segments of the
// program or of a library; memory that is allocated, on a stack or in a variable is not.
//
// Threads: any.
#pragma once

#include <string_view>

namespace volt::http::web {

// Throws std::logic_error if `text` is not in read-only memory of the program.
[[nodiscard]] std::string_view static_text(const char* text);

}  // namespace volt::http::web
