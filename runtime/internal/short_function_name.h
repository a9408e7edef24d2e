// SPDX-License-Identifier: MIT

// Threads: a pure function.
#pragma once

#include <string>

namespace volt {

// Returns the demangled name without its parameters, and not too long: "shop::report" of "shop::report(int) const".
[[nodiscard]] std::string short_function_name(std::string name);

}  // namespace volt
