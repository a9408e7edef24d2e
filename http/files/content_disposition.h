// Content-Disposition of a download: the name under which a client keeps it (RFC 6266, RFC 8187).
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace volt::http::files {

// `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`, the latter only where the former cannot say it.
// `name`: UTF-8; a path stands for what follows its last slash. Nothing but the word for an empty one.
std::string attachment(std::string_view name);

}  // namespace volt::http::files
