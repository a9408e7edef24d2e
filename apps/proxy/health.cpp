// SPDX-License-Identifier: MIT

#include "apps/proxy/health.h"

#include <http/client/client.h>
#include <runtime/scope.h>
#include <runtime/time.h>

#include <string>
#include <utility>

namespace proxy {
namespace {

namespace http = volt::http;
using volt::Result;
using volt::Task;

Task<bool> is_healthy(http::HttpClient& client, std::string uri) {
  Result<http::ClientResponse> response = co_await client.send(http::ClientRequest(http::Method::get, std::move(uri)));
  if (!response || http::code(response->status()) >= 400) co_return false;
  const Result<std::string> body = co_await response->text();  // reads the body, so that the connection can be reused
  co_return body.has_value();
}

Task<> check_one(std::shared_ptr<Upstreams> upstreams, std::size_t index, HealthOptions options,
                 std::shared_ptr<http::ClientTransportSource> tls) {
  http::HttpClient client({.whole_timeout = options.timeout, .tls = std::move(tls)});
  for (;;) {
    const bool healthy = co_await is_healthy(client, upstreams->uri(index) + options.path);
    upstreams->record_health_check(index, healthy);
    co_await volt::sleep_for(*options.interval);
  }
}

}  // namespace

Task<> check_health(std::shared_ptr<Upstreams> upstreams, HealthOptions options,
                    std::shared_ptr<http::ClientTransportSource> tls) {
  co_await volt::with_scope([&](volt::Scope& scope) -> Task<> {
    for (std::size_t i = 0; i != upstreams->size(); ++i) scope.spawn(check_one, upstreams, i, options, tls);
    co_return;
  });
}

}  // namespace proxy
