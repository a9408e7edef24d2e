// SPDX-License-Identifier: MIT

// Reads a program's own secrets from files: those that Docker and Kubernetes mount, and systemd's credentials. Unlike a
// flag or an environment variable, such a secret does not appear in ps(1), in /proc or in a dump.
//
//   app.use(http::sessions({.keys = http::CookieKeys({config::secret_from_file("/run/secrets/cookies")})}));
//
// Threads: any. Blocks on the file, so call it while the app is built.
#pragma once

#include <string>

namespace volt::config {

// Returns the content of a file, at most 64 KiB, without one trailing newline. Throws std::invalid_argument, which
// names the file and the error, if the file cannot be read, is empty or is larger.
[[nodiscard]] std::string secret_from_file(const std::string& path);

}  // namespace volt::config
