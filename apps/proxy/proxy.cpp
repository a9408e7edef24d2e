// SPDX-License-Identifier: MIT

#include "apps/proxy/proxy.h"

#include <http/client/client.h>
#include <http/http.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "apps/proxy/health.h"
#include "apps/proxy/relay.h"
#include "apps/proxy/upstreams.h"

namespace proxy {
namespace {

namespace http = volt::http;

http::ClientOptions client_options(const Options& options) {
  return {.connect_timeout = options.connect_timeout,
          .response_timeout = options.response_timeout,
          .transfer_timeout = options.transfer_timeout,
          .idle_per_origin_max = options.connections_max,
          .idle_max = options.connections_max * options.upstreams.size(),
          .body_bytes_max = std::numeric_limits<std::uint64_t>::max(),
          .tls = options.tls};
}

}  // namespace

http::App make_app(const Options& options) {
  if (options.upstreams.empty())
    throw std::invalid_argument("PROXY_UPSTREAMS must list at least one upstream, e.g. http://127.0.0.1:9001");
  RelayContext way{std::make_shared<const Options>(options), std::make_shared<Upstreams>(options),
                   std::make_shared<http::HttpClient>(client_options(options))};
  http::App app;
  if (options.health_path != "-") {
    app.background([upstreams = way.upstreams, options] { return check_health(upstreams, options); });
  }
  app.fallback([way = std::move(way)](http::Request& request, http::BodyStream) { return relay(request, way); });
  return app;
}

}  // namespace proxy
