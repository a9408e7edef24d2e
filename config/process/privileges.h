// SPDX-License-Identifier: MIT

// Drops the privileges of the process after its sockets are bound.
//
// Threads: call these functions before other threads exist, so that none runs with the old identity. The new identity
// applies to the whole process, because the C library changes every thread.
#pragma once

#include <string>

#include "config/options/config.h"
#include "runtime/result.h"

namespace volt::config {

// Sets umask(2) from octal digits. An empty text changes nothing.
void set_umask(const std::string& octal) noexcept;

// Changes irrevocably to `user` and `group`, with the supplementary groups of the user. Does nothing if both are empty,
// or if the process already has this identity. Errors: no_such_file_or_directory if there is no such user or group;
// invalid_argument if `group` is empty and `user` is the number of a user without an entry in the list of users, whose
// group is therefore not known; those of setresuid(2); operation_not_permitted if the process could still become root.
[[nodiscard]] Result<void> drop_privileges(const std::string& user, const std::string& group);

}  // namespace volt::config
