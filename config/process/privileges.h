// What the process gives up once its sockets are bound.
//
// Threads: functions, called before other threads exist; the C library tells those that do.
#pragma once

#include <string>

#include "config/options/config.h"
#include "runtime/result.h"

namespace volt::config {

// Octal digits, or nothing.
void set_umask(const std::string& octal) noexcept;

// Becomes that user and group, with the user's further groups, for good. Nothing to do if neither is named, or if it is
// them already. Errors: no_such_file_or_directory if there is no such user or group; as of setresuid(2);
// operation_not_permitted if root could be had again.
[[nodiscard]] Result<void> drop_privileges(const std::string& user, const std::string& group);

}  // namespace volt::config
