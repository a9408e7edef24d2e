// SPDX-License-Identifier: MIT

// Makes a file name from a client safe to create a file of this name in a directory.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace volt::http::multipart {

inline constexpr std::size_t kFileNameBytesMax = 255;  // NAME_MAX of Linux's file systems.

// Returns a name that cannot refer to the directory itself, its parent, a hidden file or a path outside. It is the part
// of `untrusted` after the last slash or backslash, without control characters and without leading dots and spaces. It
// is cut to `bytes_max` bytes at a boundary of UTF-8 characters. If nothing remains, it is "file".
//
// A file of this name may exist already: open it with O_EXCL.
std::string safe_file_name(std::string_view untrusted, std::size_t bytes_max = kFileNameBytesMax);

}  // namespace volt::http::multipart
