// SPDX-License-Identifier: MIT

// volt::run: a complete main() for a server program.
//
//   int main(int argc, char** argv) {
//     volt::http::App app;
//     app.get("/", [] { return "Hello, World!\n"; });
//     return volt::run(app, argc, argv);
//   }
//
// A program with settings, a name or a version of its own has a Program instead (config/program.h).
//
// The configuration comes from the file, the environment and the command line (config/options/config.h). Besides a flag
// for each key there are --config FILE, --print-config, --check-config, --help, --version, and the short flags
// --listen, --ops, --workers and --io. --check-health makes the program a client, for the health check of a container:
// it requests /healthz from the server that runs with this configuration, at ops.listen. It exits with status 0, or
// with status 1 and the reason on stderr.
//
// The steps of App::before_listen() run before the server listens: until then its addresses refuse connections. If a
// step fails, the exit status is 1. SIGTERM, SIGINT and SIGQUIT cancel the step and end the program with status 0.
//
// SIGTERM, SIGINT and SIGQUIT shut the server down gracefully, so that no request is lost:
//   at once       The server is no longer ready, and each further response closes its connection.
//   drain.delay   The server still accepts connections for this time, while load balancers stop sending new ones.
//   then          It closes its listeners, WebSockets (1001) and event streams. Idle connections may still send
//                 a request for server.drain_idle_timeout, and requests in progress are finished.
//   drain.grace   After this time the remaining connections are closed.
//   at the end    The steps of App::after_drain() run. From here on a further signal terminates the process.
// The exit status is then 0. Tasks that have not ended at drain.grace although they were cancelled, such as a handler
// that never returns, are named in the log, and the process ends without them, with status 1. A second one of these
// signals closes all connections at once, and the exit status is 1. A third one terminates the process by the signal's
// default action.
//
// SIGUSR2 is a hot restart: it starts the program again with the same command line, the sockets of this process, its
// TLS ticket keys, so that clients can resume their sessions, and the app's state (http/transport/handed_over_state.h).
// When the replacement process listens, this process drains. If the replacement fails, this process logs the reason and
// continues to serve. Process 1 ignores SIGUSR2, because its end would stop the container.
//
// SIGHUP reloads the TLS certificates and keys, as does a change of their files. It also opens log.file again, and
// reads log.level and log.levels from the configuration again.
//
// With process.user the replacement starts as that user, and SIGHUP reads files as that user. A private key that only
// root can read makes both fail, so make it readable by the group of process.user.
//
// If the process dies by a signal such as SIGSEGV, a line on stderr names the signal, the worker, the task and the
// route (runtime/crash_report.h).
//
// Under systemd the process sends READY, RELOADING, STOPPING and WATCHDOG, and the address "systemd:" stands for the
// sockets that systemd passed.
#pragma once

#include <functional>

#include "config/options/config.h"
#include "config/tls/tls.h"
#include "http/server/app.h"

namespace volt {

// Serves `app` and blocks until the server has shut down; returns the exit status. Moves from `app`. Call it once, from
// main(), before other threads exist, because it handles the process's signals. `defaults` are the values of settings
// that no source sets.
[[nodiscard]] int run(http::App& app, int argc, char** argv, config::Config defaults = {});

// Serves an app that needs files, databases or environment variables to be made: --help, --version, --print-config and
// --check-config work without them. An exception of `make_app` is one line of the log, and the exit status is 2 for a
// std::invalid_argument, otherwise 1.
//
//   int main(int argc, char** argv) {
//     return volt::run([] { return make_app(pg::options_from_environment()); }, argc, argv);
//   }
[[nodiscard]] int run(std::move_only_function<http::App()> make_app, int argc, char** argv,
                      config::Config defaults = {});

}  // namespace volt
