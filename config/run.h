// SPDX-License-Identifier: MIT

// volt::run: a complete main() for a server program.
//
//   int main(int argc, char** argv) {
//     volt::http::App app;
//     app.get("/", [] { return "Hello, World!\n"; });
//     return volt::run(app, argc, argv);
//   }
//
// The configuration comes from the file, the environment and the command line (config/options/config.h). Besides a flag
// for each key there are --config FILE, --print-config, --check-config, --help, and the short flags --listen, --ops,
// --workers and --io. --check-health makes the program a client, for the health check of a container: it requests
// /healthz from the server that runs with this configuration, at ops.listen. It exits with status 0, or with status 1
// and the reason on stderr.
//
// SIGTERM, SIGINT and SIGQUIT shut the server down gracefully, so that no request is lost:
//   at once       The server is no longer ready, and each further response closes its connection.
//   drain.delay   The server still accepts connections for this time, while load balancers stop sending new ones.
//   then          It closes its listeners, WebSockets (1001) and event streams. Idle connections may still send
//                 a request for server.drain_idle_timeout, and requests in progress are finished.
//   drain.grace   After this time the remaining connections are closed.
// The exit status is then 0. A second one of these signals closes all connections at once, and the exit status is 1. A
// third one terminates the process by the signal's default action.
//
// SIGUSR2 is a hot restart: it starts the program again with the same command line, the sockets of this process, and
// its TLS ticket keys, so that clients can resume their sessions. When the replacement process listens, this process
// drains. If the replacement fails, this process logs the reason and continues to serve. Process 1 ignores SIGUSR2,
// because its end would stop the container.
//
// SIGHUP reloads the TLS certificates and keys, as does a change of their files.
//
// With process.user the replacement starts as that user, and SIGHUP reads files as that user. A private key that only
// root can read makes both fail, so make it readable by the group of process.user.
//
// Under systemd the process sends READY, RELOADING, STOPPING and WATCHDOG, and the address "systemd:" stands for the
// sockets that systemd passed.
#pragma once

#include "config/options/config.h"
#include "config/tls/tls.h"
#include "http/server/app.h"

namespace volt {

// Serves `app` and blocks until the server has shut down; returns the exit status. Moves from `app`. Call it once, from
// main(), before other threads exist, because it handles the process's signals. `defaults` are the values of settings
// that no source sets.
[[nodiscard]] int run(http::App& app, int argc, char** argv, config::Config defaults = {});

}  // namespace volt
