// SPDX-License-Identifier: MIT

// proxy: a reverse proxy. PROXY_UPSTREAMS lists the upstreams.
#include <config/program.h>

#include "apps/proxy/proxy.h"

int main(int argc, char** argv) {
  volt::Program program({.name = "proxy", .description = "A reverse proxy for HTTP/1.1 and WebSocket."});
  const auto options = program.settings<proxy::Options>("proxy");
  return program.run([&] { return proxy::make_app(*options); }, argc, argv);
}
