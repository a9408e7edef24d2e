// What the environment says of inherited listening sockets (runtime/inherited.h), as sd_listen_fds(3) reads it. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/result.h"

namespace volt::net {

// The names of descriptors 3, 4, ...; none if they are meant for another process. A null is a variable that is not set.
// Error: invalid_argument.
[[nodiscard]] Result<std::vector<std::string>> inherited_names(const char* listen_pid, const char* listen_fds,
                                                               const char* listen_names, pid_t this_process);

}  // namespace volt::net
