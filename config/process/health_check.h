// SPDX-License-Identifier: MIT

// Implements --check-health: requests the health of a running server from a separate process with the same
// configuration. It serves the probes of containers and supervisors, where there may be neither a shell nor curl.
//
// Threads: any. Blocks for a few seconds, longer with a host name, so it suits only a program that does nothing else.
#pragma once

#include <expected>
#include <string>

namespace volt::config {

// Requests /healthz at `place`, the address of the ops endpoint ("127.0.0.1:9090", "unix:/run/ops.sock"). The wildcard
// address 0.0.0.0 stands for this machine, and a host name for all its addresses, one of which must respond. Error: a
// sentence that says why the server is not healthy.
[[nodiscard]] std::expected<void, std::string> check_health(const std::string& place);

}  // namespace volt::config
