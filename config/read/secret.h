// Secrets of a program's own, from files: what Docker and Kubernetes mount, and systemd's credentials. Unlike a flag or a
// variable of the environment, nobody sees them in ps(1), in /proc or in a dump.
//
//   app.use(http::sessions({.keys = http::CookieKeys({config::secret_from_file("/run/secrets/cookies")})}));
//
// Threads: a function. Waits for the file: called while the app is built.
#pragma once

#include <string>

namespace volt::config {

// What is in that file, at most 64 KiB, without a line end at its end. Throws std::invalid_argument, which names the file
// and what is wrong with it, if it cannot be read or is empty.
[[nodiscard]] std::string secret_from_file(const std::string& path);

}  // namespace volt::config
