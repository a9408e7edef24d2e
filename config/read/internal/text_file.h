// A file as text: small, and read when the program starts.
//
// Threads: a function. Waits for the file.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/result.h"

namespace volt::config {

// Errors: as of open(2) and read(2); file_too_large if it has more bytes than that.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);

}  // namespace volt::config
