// SPDX-License-Identifier: MIT

// A place is an address in the form of the configuration: "127.0.0.1:8080", "localhost:8080", "unix:/run/volt.sock".
//
// Threads: any. Blocks while a host name is looked up.
#pragma once

#include <string>
#include <vector>

#include "runtime/address.h"
#include "runtime/result.h"

namespace volt::config {

// Returns the addresses of a place: one, or all those of its host name. Errors: invalid_argument if `place` is not an
// address, address_not_available if its host name has none.
[[nodiscard]] Result<std::vector<Address>> addresses_of(const std::string& place);

}  // namespace volt::config
