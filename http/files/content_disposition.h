// SPDX-License-Identifier: MIT

// Content-Disposition of a download: the name under which a client saves it (RFC 6266, RFC 8187).
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace volt::http::files {

// Returns the field's value, such as `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`. `filename*`
// is present only if `filename` cannot represent the name. `name` is UTF-8; if it is a path, only the part after the
// last slash or backslash is used. For an empty name, returns `attachment` alone.
std::string attachment(std::string_view name);

}  // namespace volt::http::files
