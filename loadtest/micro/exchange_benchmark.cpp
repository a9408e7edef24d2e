// SPDX-License-Identifier: MIT

// http/server: the cost of a small request without system calls, from its bytes to those of its response.
#include "http/server/internal/request_context.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "http/server/app.h"
#include "http/server/internal/respond.h"
#include "http/server/internal/service.h"

namespace {

using namespace volt;
using namespace volt::http;

// A request as wrk sends it.
constexpr std::string_view kRequest = "GET /plaintext HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

App hello() {
  App app;
  app.get("/", [] { return "Hello, World!"; });
  app.get("/plaintext", [] { return "Hello, World!"; });
  app.get("/work/{us}", [](Request& request) { return request.param(0); });
  return app;
}

void receive(server::RequestContext& request_context) {
  std::memcpy(request_context.room().data(), kRequest.data(), kRequest.size());
  request_context.add_received(kRequest.size());
}

void answer_a_request(benchmark::State& state) {
  const http1::Limits limits;
  const server::Service service(hello().release());
  server::RequestContext request_context(limits);
  for (auto _ : state) {
    receive(request_context);
    const auto complete = request_context.decode_head();
    if (!complete || *complete != http1::HeadState::complete) return state.SkipWithError("not decoded");
    Request& request = request_context.open_request();
    const server::Endpoint& endpoint = service.find(request);
    Response response = server::respond(endpoint, request);
    request_context.respond(response, true, kDate);
    benchmark::DoNotOptimize(request_context.unsent().data());
    request_context.add_sent(request_context.unsent().size());
    request_context.finish();
  }
}
BENCHMARK(answer_a_request);

void find_a_route(benchmark::State& state) {
  const http1::Limits limits;
  const server::Service service(hello().release());
  server::RequestContext request_context(limits);
  receive(request_context);
  benchmark::DoNotOptimize(request_context.decode_head());
  Request& request = request_context.open_request();
  for (auto _ : state) benchmark::DoNotOptimize(&service.find(request));
}
BENCHMARK(find_a_route);

void open_a_request(benchmark::State& state) {
  const http1::Limits limits;
  server::RequestContext request_context(limits);
  receive(request_context);
  benchmark::DoNotOptimize(request_context.decode_head());
  for (auto _ : state) benchmark::DoNotOptimize(&request_context.open_request());
}
BENCHMARK(open_a_request);

void respond_to_a_request(benchmark::State& state) {
  const http1::Limits limits;
  const server::Service service(hello().release());
  server::RequestContext request_context(limits);
  receive(request_context);
  benchmark::DoNotOptimize(request_context.decode_head());
  Request& request = request_context.open_request();
  const server::Endpoint& endpoint = service.find(request);
  for (auto _ : state) benchmark::DoNotOptimize(server::respond(endpoint, request));
}
BENCHMARK(respond_to_a_request);

}  // namespace
