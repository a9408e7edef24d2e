// What the socket types share around their system calls.
//
// Threads: pure functions of a descriptor.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/net/address.h"

namespace volt::net {

// The error of a transfer: EAGAIN is operation_would_block, by that name on every platform.
[[nodiscard]] std::unexpected<std::error_code> transfer_error(int number);
// The error of the system call that has just failed; `fd` is closed.
[[nodiscard]] std::unexpected<std::error_code> close_failed(int fd);

// A new non-blocking descriptor. Errors: as of socket(2).
[[nodiscard]] Result<int> open_socket(int family, int type);
[[nodiscard]] Result<int> socket_option(int fd, int option);
[[nodiscard]] Result<Address> local_address_of(int fd);
[[nodiscard]] Result<Address> peer_address_of(int fd);

}  // namespace volt::net
