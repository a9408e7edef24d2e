// SPDX-License-Identifier: MIT

// A server with metrics, checks and steps of its own, for metrics_test.py and steps_test.py. MISTAKE says which step
// goes wrong: before_fails, before_hangs, after_fails, after_hangs.
#include <config/run.h>
#include <http/client/client.h>
#include <http/http.h>
#include <http/metrics/metrics.h>
#include <runtime/log.h>
#include <runtime/time.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#ifdef VOLT_WITH_PG
#include <pg/pg.h>
#endif

namespace http = volt::http;
using namespace std::chrono_literals;
using volt::Task;

namespace {

Task<> step(std::string name, bool fails, bool hangs) {
  co_await volt::yield();
  if (fails) throw std::runtime_error(name + " failed");
  if (hangs) co_await volt::sleep_for(1h);
  volt::log(volt::LogLevel::info, name + " is done");
}

void add_steps(http::App& app, std::string_view mistake) {
  app.before_listen([] { return step("the migration", false, false); });
  app.before_listen([mistake] { return step("the warm-up", mistake == "before_fails", mistake == "before_hangs"); });
  app.after_drain([mistake] { return step("the flush", mistake == "after_fails", mistake == "after_hangs"); }, 300ms);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const variable = std::getenv("MISTAKE");
  http::App app;
  const auto orders = app.metrics().counter("orders_total", "Orders placed, by kind.", {"kind"}, {.series_max = 3});
  const auto open = app.metrics().gauge("carts_open", "Carts with at least one item.");
  const auto took = app.metrics().histogram("order_seconds", "Time to place an order, in seconds.", {"kind"});
  app.state(std::make_shared<http::HttpClient>());
#ifdef VOLT_WITH_PG
  app.state(volt::pg::Pool({.url = "host=127.0.0.1 port=1", .name = "orders"}));
#endif
  app.post("/orders/{kind}", [=](http::Path<std::string> kind) {
    orders.with(*kind).add();
    open.set(2.5);
    took.with(*kind).record(3ms);
    return http::Status::created;
  });
  app.get("/fetch/{port}",
          [](http::Path<int> port, http::State<std::shared_ptr<http::HttpClient>> client) -> Task<int> {
            http::ClientRequest request(http::Method::get, "http://127.0.0.1:" + std::to_string(*port) + "/none");
            const volt::Result<http::ClientResponse> response = co_await (*client)->send(std::move(request));
            co_return response ? static_cast<int>(response->status()) : 0;
          });
  app.ready_when("always", []() -> Task<bool> { co_return true; });
  add_steps(app, variable == nullptr ? "" : variable);
  return volt::run(app, argc, argv);
}
