// SPDX-License-Identifier: MIT

// A server with traces, for traces_test.py: /items/{id} has a span of its own, /relay asks the URI in RELAY_TO, /fail
// throws.
#include <config/run.h>
#include <http/client/client.h>
#include <http/http.h>
#include <http/tracing/otlp.h>
#include <http/tracing/trace_requests.h>
#include <tracing/span.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace http = volt::http;
namespace tracing = volt::tracing;

namespace {

std::string item(http::Path<int> id) {
  tracing::Span span("render");
  span.set({"item.id", *id});
  span.set({"item.name", "a \"pen\" \xff"});
  span.set({"item.price", 0.5});
  span.set({"item.sold", false});
  span.event("cache miss", {{"cache.key", "items"}});
  if (*id == 7) span.succeed();
  return "item";
}

volt::Task<std::string> relay(std::shared_ptr<http::HttpClient> client) {
  volt::Result<http::ClientResponse> response =
      co_await client->send(http::ClientRequest(http::Method::get, std::getenv("RELAY_TO")));
  if (!response) throw std::runtime_error(response.error().message());
  const volt::Result<std::string> text = co_await response->text();
  co_return text.value_or("broken off");
}

}  // namespace

int main(int argc, char** argv) {
  http::App app;
  const auto tracer = std::make_shared<tracing::Tracer>(http::tracer_options_from_environment());
  app.use(http::trace_requests(tracer));
  app.background(http::export_traces(tracer, http::otlp_options_from_environment()));
  app.state(tracer);
  app.get("/items/{id}", item);
  app.get("/relay", [client = std::make_shared<http::HttpClient>()] { return relay(client); });
  app.get("/fail", []() -> std::string { throw std::runtime_error("decided by the test"); });
  return volt::run(app, argc, argv);
}
