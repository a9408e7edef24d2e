// SPDX-License-Identifier: MIT

#include "apps/ops-demo/load.h"

#include <http/client/client.h>
#include <runtime/scope.h>
#include <runtime/time.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace demo {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using volt::Address;
using volt::Result;
using volt::Task;

constexpr int kVisitors = 12;
constexpr std::chrono::duration<double> kWave = 60s;           // period of the load
constexpr std::chrono::duration<double> kPauseAtFlood = 60ms;  // mean pause between a client's requests at the peak
constexpr std::chrono::duration<double> kPauseAtEbb = 1200ms;  // mean pause at the lowest load
constexpr std::array kTargets = {
    "/fast",    "/fast",           "/fast",  "/fast",   "/fast", "/slow", "/slow", "/primes", "/primes?below=60000",
    "/failing", "/failing?kind=1", "/lines", "/nowhere"};

std::chrono::nanoseconds pause(std::mt19937& random) {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  const double tide = 0.5 + 0.5 * std::sin(2 * std::numbers::pi * now.count() / kWave.count());
  const auto mean = kPauseAtEbb + (kPauseAtFlood - kPauseAtEbb) * tide;
  std::exponential_distribution<double> wait(1 / mean.count());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(wait(random)));
}

Task<> visit(std::shared_ptr<http::HttpClient> client, Address place, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> which(0, kTargets.size() - 1);
  for (;;) {
    http::ClientRequest request(http::Method::get, std::string("http://ops-demo") + kTargets[which(random)]);
    request.via(place);
    Result<http::ClientResponse> response = co_await client->send(std::move(request));
    if (response) {
      [[maybe_unused]] const Result<std::string> body = co_await response->text();
    }
    co_await volt::sleep_for(pause(random));
  }
}

}  // namespace

Task<> generate_load(volt::OneshotReceiver<Address> place) {
  const std::optional<Address> found = co_await place.receive();
  if (!found) co_return;  // the server never listened
  const auto client = std::make_shared<http::HttpClient>();
  co_await volt::with_scope([&](volt::Scope& scope) -> Task<> {
    for (std::uint32_t i = 0; i != kVisitors; ++i) scope.spawn(visit, client, *found, i);
    co_return;
  });
}

}  // namespace demo
