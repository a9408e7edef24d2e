// SPDX-License-Identifier: MIT

// The fields of a response that only the server's encoder may write.
//
// Threads: a pure function.
#pragma once

#include <string_view>

namespace volt::http {

// Throws std::invalid_argument for such a field: fields that contradict each other about the end of a message would
// enable response smuggling.
void require_not_reserved(std::string_view name);

}  // namespace volt::http
