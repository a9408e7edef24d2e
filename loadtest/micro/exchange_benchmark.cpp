// http/server: what a small request costs between the kernel's two calls, from its bytes to those of its answer.
#include "http/server/internal/exchange.h"

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

// What wrk sends.
constexpr std::string_view kRequest = "GET /plaintext HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

App hello() {
  App app;
  app.get("/", [] { return "Hello, World!"; });
  app.get("/plaintext", [] { return "Hello, World!"; });
  app.get("/work/{us}", [](Request& request) { return request.param(0); });
  return app;
}

void receive(server::Exchange& exchange) {
  std::memcpy(exchange.room().data(), kRequest.data(), kRequest.size());
  exchange.add_received(kRequest.size());
}

void answer_a_request(benchmark::State& state) {
  const http1::Limits limits;
  const server::Service service(hello().release());
  server::Exchange exchange(limits);
  for (auto _ : state) {
    receive(exchange);
    const auto complete = exchange.decode_head();
    if (!complete || *complete != http1::HeadState::complete) return state.SkipWithError("not decoded");
    Request& request = exchange.open_request();
    const server::Endpoint& endpoint = service.find(request);
    const Response response = server::respond(endpoint, request);
    exchange.answer(response, true, kDate);
    benchmark::DoNotOptimize(exchange.unsent().data());
    exchange.add_sent(exchange.unsent().size());
    exchange.finish();
  }
}
BENCHMARK(answer_a_request);

void find_a_route(benchmark::State& state) {
  const http1::Limits limits;
  const server::Service service(hello().release());
  server::Exchange exchange(limits);
  receive(exchange);
  benchmark::DoNotOptimize(exchange.decode_head());
  Request& request = exchange.open_request();
  for (auto _ : state) benchmark::DoNotOptimize(&service.find(request));
}
BENCHMARK(find_a_route);

void open_a_request(benchmark::State& state) {
  const http1::Limits limits;
  server::Exchange exchange(limits);
  receive(exchange);
  benchmark::DoNotOptimize(exchange.decode_head());
  for (auto _ : state) benchmark::DoNotOptimize(&exchange.open_request());
}
BENCHMARK(open_a_request);

void respond_to_a_request(benchmark::State& state) {
  const http1::Limits limits;
  const server::Service service(hello().release());
  server::Exchange exchange(limits);
  receive(exchange);
  benchmark::DoNotOptimize(exchange.decode_head());
  Request& request = exchange.open_request();
  const server::Endpoint& endpoint = service.find(request);
  for (auto _ : state) benchmark::DoNotOptimize(server::respond(endpoint, request));
}
BENCHMARK(respond_to_a_request);

}  // namespace
