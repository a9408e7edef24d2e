// SPDX-License-Identifier: MIT

#include "loadtest/peers/volt/routes.h"

#include <http/http.h>

#include <cstdint>
#include <string>

namespace {

using volt::Task;
using volt::http::Next;
using volt::http::Path;
using volt::http::Request;
using volt::http::Response;

constexpr int kRoutes = 500;

// Typical middlewares: one may end the chain, one changes the response, and one does nothing.
Task<Response> need_host(Request& request, Next next) {
  if (!request.header("Host")) co_return Response(volt::http::Status::bad_request);
  co_return co_await next(request);
}

Task<Response> no_store(Request& request, Next next) {
  Response response = co_await next(request);
  response.header("Cache-Control", "no-store");
  co_return response;
}

Task<Response> pass_on(Request& request, Next next) { co_return co_await next(request); }

Response show_item(Path<std::string> kind, Path<std::int64_t> item) {
  if (kind->empty() || *item < 0) return Response(volt::http::Status::not_found);
  return Response::fixed("Hello, World!", "text/plain");
}

}  // namespace

void add_routes(volt::http::App& app) {
  auto shop = app.group("/shop");
  shop.use(need_host, no_store, pass_on);
  for (int i = 0; i != kRoutes; ++i) {
    shop.get(volt::http::runtime_pattern("/kind" + std::to_string(i) + "/{kind}/items/{item}"), show_item);
  }
}
