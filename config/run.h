// volt::run: a program's main(), complete.
//
//   int main(int argc, char** argv) {
//     volt::http::App app;
//     app.get("/", [] { return "Hello, World!\n"; });
//     return volt::run(app, argc, argv);
//   }
//
// What it serves with comes from the file, the environment and the command line: config/options/config.h. Besides a flag for each
// key there are --config FILE, --print-config, --check-config, --help, and short --listen, --ops, --workers and --io.
// --check-health makes it a client instead, for the probe of a container: it asks the server that was told the same, at
// ops.listen, for /healthz; status 0, or 1 and why.
//
// SIGTERM, SIGINT and SIGQUIT end it so that no request is lost:
//   at once       it is no longer ready, and each further answer closes its connection
//   drain.delay   it still accepts connections, while balancers learn to look away
//   then          it closes its listeners, WebSockets (1001) and event streams; idle connections may still ask for
//                 server.drain_idle_timeout, and requests under way are answered
//   drain.grace   after that the rest is cut
// Its status is 0 then. A second one of these signals cuts at once, with status 1; a third ends it like any program.
//
// SIGUSR2 starts the program anew, by the same command line, with the sockets of this one, and the keys of its TLS
// tickets, so that clients resume their sessions there. Once that listens, this one drains; if it fails, this one logs why
// and goes on. (Not as process 1, whose end is the end of its container.)
// With process.user it starts as that user, who is also the one that reads files on SIGHUP: a private key that only root
// can read makes both fail. Let the group of process.user read it.
// Under systemd it says READY, RELOADING, STOPPING and WATCHDOG, and "systemd:" is a place to listen.
// SIGHUP reads anew what may change while it serves.
#pragma once

#include "config/options/config.h"
#include "config/tls/tls.h"
#include "http/server/app.h"

namespace volt {

// Blocks until the program is to end; returns its exit status. The app is used up. Called from main(), once, before other threads exist:
// it handles the process's signals.
[[nodiscard]] int run(http::App& app, int argc, char** argv, config::Config defaults = {});

}  // namespace volt
