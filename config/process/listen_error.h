// SPDX-License-Identifier: MIT

// listen_error: what to tell a person whose program cannot listen.
#pragma once

#include <string>
#include <system_error>

namespace volt::config {

// Returns a sentence about an error of listening at `place`: the error, its usual cause, and the remedy. If the port is
// in use, names the process that holds it, where /proc tells.
[[nodiscard]] std::string explain_listen_error(const std::string& place, std::error_code error);

}  // namespace volt::config
