// The media type of a file, by its extension.
//
// Threads: pure functions.
#pragma once

#include <string_view>

namespace volt::http::files {

inline constexpr std::string_view kUnknownMediaType = "application/octet-stream";

// The value of Content-Type for a file of that name or path, by what follows the last dot, case-blind: static text,
// with `charset=utf-8` for text. kUnknownMediaType if the extension is missing or not known.
std::string_view media_type(std::string_view path) noexcept;

}  // namespace volt::http::files
