// SPDX-License-Identifier: MIT

// proxy: a reverse proxy. PROXY_UPSTREAMS lists the upstreams.
#include <config/run.h>

#include "apps/proxy/proxy.h"

int main(int argc, char** argv) {
  const auto make_app = [] { return proxy::make_app(proxy::options_from_environment()); };
  return volt::run(make_app, argc, argv);
}
