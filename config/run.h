// volt::run: a program's main(), complete.
//
//   int main(int argc, char** argv) {
//     volt::http::App app;
//     app.get("/", [] { return "Hello, World!\n"; });
//     return volt::run(app, argc, argv);
//   }
//
// Flags: --listen WHERE, as often as wanted (as App::listen() takes it; without one, what the app listens on, else
// 0.0.0.0:8080), --ops WHERE (http/ops.h; else what the app says, else none), --workers N, --io auto|uring|epoll,
// --help. The app is used up. Serves until SIGTERM, SIGINT or
// SIGQUIT; then drains: requests under way are answered, for at most 20 seconds. A second signal ends it at once.
#pragma once

#include "http/app.h"
#include "http/options.h"

namespace volt {

// Blocks until the program is to end; returns its exit status. Called from main(), once, before other threads exist:
// it handles the process's signals.
[[nodiscard]] int run(http::App& app, int argc, char** argv, http::ServerOptions options = {});

}  // namespace volt
