// SPDX-License-Identifier: MIT

#include "apps/proxy/proxy.h"

#include <config/tls/tls.h>
#include <http/client/client.h>
#include <http/http.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "apps/proxy/health.h"
#include "apps/proxy/relay.h"
#include "apps/proxy/upstreams.h"

namespace proxy {
namespace {

namespace http = volt::http;

using Tls = std::shared_ptr<http::ClientTransportSource>;

// Returns null if no upstream has an https URI.
Tls client_tls(const Options& options) {
  const auto secure = [](const std::string& uri) { return uri.starts_with("https:"); };
  return std::ranges::any_of(*options.upstreams, secure) ? volt::tls::client_transport() : nullptr;
}

http::ClientOptions client_options(const Options& options, Tls tls) {
  return {.connect_timeout = options.connect_timeout,
          .response_timeout = options.response_timeout,
          .transfer_timeout = options.transfer_timeout,
          .idle_per_origin_max = options.connections_max,
          .idle_max = options.connections_max * options.upstreams->size(),
          .body_bytes_max = std::numeric_limits<std::uint64_t>::max(),
          .tls = std::move(tls)};
}

}  // namespace

http::App make_app(const Options& options) {
  const Tls tls = client_tls(options);
  RelayContext way{std::make_shared<const Options>(options), std::make_shared<Upstreams>(options),
                   std::make_shared<http::HttpClient>(client_options(options, tls))};
  http::App app;
  if (options.health.path != "-") {
    app.background(
        [upstreams = way.upstreams, health = options.health, tls] { return check_health(upstreams, health, tls); });
  }
  app.fallback([way = std::move(way)](http::Request& request, http::BodyStream) { return relay(request, way); });
  return app;
}

}  // namespace proxy
