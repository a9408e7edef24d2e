// What --check-health does: asks a running server, by a process of its own that was told the same configuration, whether
// it is alive. For the probes of containers and supervisors, where there may be neither a shell nor curl.
//
// Threads: a function, for a program that does nothing else. It blocks for at most a few seconds.
#pragma once

#include <expected>
#include <string>

namespace volt::config {

// Asks for /healthz at `place`, where the server listens for operators ("127.0.0.1:9090", "unix:/run/ops.sock"); every
// address (0.0.0.0) means this machine. Error: why it is not healthy.
[[nodiscard]] std::expected<void, std::string> check_health(const std::string& place);

}  // namespace volt::config
