// SPDX-License-Identifier: MIT

#include "apps/ops-demo/demo.h"

#include <http/http.h>
#include <http/web/stream.h>
#include <runtime/address.h>
#include <runtime/oneshot.h>
#include <runtime/time.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "apps/ops-demo/load.h"

namespace demo {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using http::BodyWriter;
using http::Query;
using volt::Task;

constexpr int kLines = 20;
constexpr std::uint64_t kPrimesBelowMax = 200'000;

struct Bound {
  std::uint64_t below = 30'000;
};

struct Primes {
  std::uint64_t below;
  std::uint64_t count;
};

struct Failing {
  int kind = 0;
};

// Keeps a processor busy. If it takes long, the operators' page shows a stall.
Primes count_primes(Query<Bound> bound) {
  if (bound->below > kPrimesBelowMax) throw http::bad_request("below must be at most 200000");
  Primes primes{bound->below, 0};
  for (std::uint64_t number = 2; number < bound->below; ++number) {
    bool prime = true;
    for (std::uint64_t divisor = 2; prime && divisor * divisor <= number; ++divisor) prime = number % divisor != 0;
    if (prime) ++primes.count;
  }
  return primes;
}

Task<std::string> wait() {
  co_await volt::sleep_for(150ms);
  co_return "that took a while\n";
}

std::string fail(Query<Failing> failing) {
  if (failing->kind == 0) throw std::runtime_error("a deliberate error of this demonstration");
  throw http::unavailable("unavailable for demonstration");
}

Task<> write_lines(BodyWriter& out) {
  for (int i = 0; i != kLines; ++i) {
    co_await out.write("line " + std::to_string(i) + "\n");
    co_await out.flush();
    co_await volt::sleep_for(100ms);
  }
}

}  // namespace

http::App make_app() {
  http::App app;
  app.get("/fast", [] { return http::Response::fixed("hello\n"); });
  app.get("/slow", wait);
  app.get("/primes", count_primes);
  app.get("/failing", fail);
  app.get("/lines", [] { return http::stream("text/plain", write_lines); });
  auto [sender, receiver] = volt::oneshot<volt::Address>();
  app.on_listen([found = std::optional(std::move(sender))](const volt::Address& address) mutable {
    if (found) std::move(*std::exchange(found, std::nullopt)).send(address);  // only the first address
  });
  app.background([place = std::move(receiver)]() mutable { return generate_load(std::move(place)); });
  return app;
}

}  // namespace demo
