// @NAME@: run it with --help for its settings.
#include <config/program.h>
#include <http/middleware/compress.h>
#include <http/middleware/observe.h>

#include "app.h"
#include "settings.h"

int main(int argc, char** argv) {
  volt::Program program({.name = "@NAME@", .version = APP_VERSION, .description = "Greets guests."});
  const auto settings = program.settings<Settings>("app");
  const auto make_logged_app = [&] {
    volt::http::App app = make_app(*settings);
    app.use(volt::http::request_id(), volt::http::access_log(), volt::http::compress());
    return app;
  };
  return program.run(make_logged_app, argc, argv);
}
