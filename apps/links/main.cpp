// SPDX-License-Identifier: MIT

// links: short names for long addresses, and files for all who know their address; LINKS_FOLDER has its data.
#include <config/program.h>
#include <http/middleware/observe.h>

#include "apps/links/app.h"

int main(int argc, char** argv) {
  volt::Program program({.name = "links", .description = "Short names for long addresses, and a drop for files."});
  const auto settings = program.settings<links::Settings>("links");
  const auto make_logged_app = [&] {
    volt::http::App app = links::make_app(*settings, links::checker_at(settings->checker));
    app.use(volt::http::request_id(), volt::http::access_log());
    return app;
  };
  return program.run(make_logged_app, argc, argv);
}
