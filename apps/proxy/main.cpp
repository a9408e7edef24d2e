// proxy: a reverse proxy. PROXY_UPSTREAMS says whom it asks.
#include <config/run.h>

#include <cstdio>
#include <exception>

#include "apps/proxy/proxy.h"

int main(int argc, char** argv) {
  volt::config::Config defaults;
  defaults.server.half_close_cancels = true;  // a client that gives up costs the upstreams nothing more
  try {
    volt::http::App app = proxy::make_app(proxy::options_from_environment());
    return volt::run(app, argc, argv, std::move(defaults));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
