// SPDX-License-Identifier: MIT

// The standard descriptors 0, 1 and 2 of the process.
//
// Threads: call before other threads exist.
#pragma once

namespace volt::config {

// Opens /dev/null in place of each standard descriptor that was closed when the process was started. Otherwise the next
// socket would get its number, and the log would be written to a client.
void open_standard_descriptors() noexcept;

}  // namespace volt::config
