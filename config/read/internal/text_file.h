// SPDX-License-Identifier: MIT

// Reads small text files when the program starts.
//
// Threads: any. Blocks on the file.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/result.h"

namespace volt::config {

// Returns the content of a file. Errors: those of open(2) and read(2); file_too_large if it has more than `bytes_max`
// bytes.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);

}  // namespace volt::config
