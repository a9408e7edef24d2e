// SPDX-License-Identifier: MIT

// Determines the media type of a file by its extension.
//
// Threads: pure functions.
#pragma once

#include <string_view>

namespace volt::http::files {

inline constexpr std::string_view kUnknownMediaType = "application/octet-stream";

// Returns the Content-Type for a file name or path, by the text after the last dot, case-insensitive: static text, with
// `charset=utf-8` for text. Returns kUnknownMediaType if the extension is missing or unknown.
std::string_view media_type(std::string_view path) noexcept;

}  // namespace volt::http::files
