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
  auto asking = client.send(http::ClientRequest(http::Method::get, std::move(uri)));
  Result<http::ClientResponse> response = co_await std::move(asking);
  if (!response || http::code(response->status()) >= 400) co_return false;
  auto reading = response->text();  // reads the body, so that the connection can be reused
  const Result<std::string> body = co_await std::move(reading);
  co_return body.has_value();
}

Task<> check_one(std::shared_ptr<Upstreams> upstreams, std::size_t index, Options options) {
  http::HttpClient client({.whole_timeout = options.health_timeout, .tls = options.tls});
  for (;;) {
    auto asking = is_healthy(client, upstreams->uri(index) + options.health_path);
    const bool healthy = co_await std::move(asking);
    upstreams->record_health_check(index, healthy);
    co_await volt::sleep_for(options.health_interval);
  }
}

}  // namespace

Task<> check_health(std::shared_ptr<Upstreams> upstreams, Options options) {
  auto checking = volt::with_scope([&](volt::Scope& scope) -> Task<> {
    for (std::size_t i = 0; i != upstreams->size(); ++i) scope.spawn(check_one, upstreams, i, options);
    co_return;
  });
  co_await std::move(checking);
}

}  // namespace proxy
