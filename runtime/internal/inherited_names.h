// SPDX-License-Identifier: MIT

// Parses the environment variables for inherited listening sockets (runtime/inherited.h), as sd_listen_fds(3) does. A
// pure function.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/result.h"

namespace volt::net {

// Returns the names of the descriptors 3, 4, ... in this order; an empty list if the descriptors are meant for another
// process. A null argument means that the variable is not set. Error: invalid_argument.
[[nodiscard]] Result<std::vector<std::string>> inherited_names(const char* listen_pid, const char* listen_fds,
                                                               const char* listen_names, pid_t this_process);

}  // namespace volt::net
