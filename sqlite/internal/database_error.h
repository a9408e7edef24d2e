// SPDX-License-Identifier: MIT

// Throws the exceptions of sqlite/error.h.
//
// Threads: any.
#pragma once

#include <string_view>

#include "sqlite/error.h"

namespace volt::sqlite::internal {

// Throws the exception for a message of SQLite, selected by its code.
[[noreturn]] void throw_database_error(DatabaseMessage message);
// Throws Cancelled, or QueryTimeout.
[[noreturn]] void throw_stopped(bool by_cancel);
// Throws the Error that is being handled again, with the name of the file in front of its text.
[[noreturn]] void throw_with_file(std::string_view path);

}  // namespace volt::sqlite::internal
