// volt::run: a program's main(), complete.
//
//   int main(int argc, char** argv) {
//     volt::http::App app;
//     app.get("/", [] { return "Hello, World!\n"; });
//     return volt::run(app, argc, argv);
//   }
//
// What it serves with comes from the file, the environment and the command line: config/config.h. Besides a flag for each
// key there are --config FILE, --print-config, --check-config, --help, and short --listen, --workers and --io. The app
// is used up. Serves until SIGTERM, SIGINT or SIGQUIT; then drains: requests under way are answered, for at most
// drain.grace. A second signal ends it at once.
#pragma once

#include "config/config.h"
#include "http/app.h"

namespace volt {

// Blocks until the program is to end; returns its exit status. Called from main(), once, before other threads exist:
// it handles the process's signals.
[[nodiscard]] int run(http::App& app, int argc, char** argv, config::Config defaults = {});

}  // namespace volt
