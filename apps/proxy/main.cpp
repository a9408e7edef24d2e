// SPDX-License-Identifier: MIT

// proxy: a reverse proxy. PROXY_UPSTREAMS lists the upstreams.
#include <config/run.h>

#include <cstdio>
#include <exception>

#include "apps/proxy/proxy.h"

int main(int argc, char** argv) {
  volt::config::Config defaults;
  defaults.server.half_close_cancels = true;  // when a client gives up, its request to the upstream is cancelled
  try {
    volt::http::App app = proxy::make_app(proxy::options_from_environment());
    return volt::run(app, argc, argv, std::move(defaults));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
