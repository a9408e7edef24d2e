// SPDX-License-Identifier: MIT

// Functions around system calls that the socket types share.
//
// Threads: any; each function uses only the descriptor that it is given.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/net/address.h"

namespace volt::net {

// Returns the error of a failed read or write. EAGAIN becomes operation_would_block, which has that name on every
// platform.
[[nodiscard]] std::unexpected<std::error_code> transfer_error(int number);
// Closes `fd` and returns the error of the system call that has just failed (errno).
[[nodiscard]] std::unexpected<std::error_code> close_failed(int fd);

// Returns a new non-blocking descriptor. Errors: those of socket(2).
[[nodiscard]] Result<int> open_socket(int family, int type);
[[nodiscard]] Result<int> socket_option(int fd, int option);
[[nodiscard]] Result<Address> local_address_of(int fd);
[[nodiscard]] Result<Address> peer_address_of(int fd);

}  // namespace volt::net
