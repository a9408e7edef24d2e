// A file's name as a client gave it, made safe to create a file of that name in a folder of ours.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace volt::http::multipart {

inline constexpr std::size_t kFileNameBytesMax = 255;  // NAME_MAX of Linux's file systems

// What stands behind the last slash or backslash, without control characters and without the dots and spaces in front,
// cut to `bytes_max` bytes between two characters of UTF-8; "file" if nothing is left. So it names neither the folder
// nor its parent, nor anything hidden or outside. It may be the name of a file that is there already: open with O_EXCL.
std::string safe_file_name(std::string_view untrusted, std::size_t bytes_max = kFileNameBytesMax);

}  // namespace volt::http::multipart
