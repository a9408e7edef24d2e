#include "http/server/site.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "runtime/runtime.h"
#include "tests/support/served_app.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;

std::string fill(Exchange& exchange, std::size_t bytes) {
  const auto room = exchange.room();
  const std::size_t count = std::min(bytes, room.size());
  std::fill_n(room.begin(), count, std::byte{'x'});
  exchange.add_received(count);
  return std::string(count, 'x');
}

}  // namespace

TEST_SUITE_BEGIN("http/server/site");

TEST_CASE("the date is composed once a second, by the monotonic clock") {
  DateCache cache;
  const std::string first(cache.view(0ns));
  CHECK(first.size() == message::kHttpDateBytes);
  CHECK(first.ends_with(" GMT"));
  CHECK(first != message::HttpDate(std::chrono::sys_seconds{}).view());
  CHECK(cache.view(0ns).data() == cache.view(1ns).data());
  const auto wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string later(cache.view(2s));  // past the end of the second, whenever that was
  const message::HttpDate now(wall), next(wall + 1s);
  CHECK((later == now.view() || later == next.view()));
}

TEST_CASE("an exchange that was given back is taken again, without traces") {
  Runtime runtime(test_options());
  Site site(App{}, ServerOptions{}, runtime.worker_count());
  runtime.block_on([&]() -> Task<> {
    auto exchange = site.take_exchange();
    const Exchange* first = exchange.get();
    fill(*exchange, 100);
    exchange->refuse(Status::bad_request, "date");
    CHECK_FALSE(exchange->idle());
    site.put_exchange(std::move(exchange));
    auto again = site.take_exchange();
    CHECK(again.get() == first);
    CHECK(again->idle());
    CHECK(again->unsent().empty());
    co_return;
  });
}

TEST_CASE("a shelf has an end, and takes no exchange that has grown large") {
  Runtime runtime(test_options());
  Site site(App{}, ServerOptions{}, runtime.worker_count());
  runtime.block_on([&]() -> Task<> {
    std::vector<std::unique_ptr<Exchange>> exchanges(Shelf::kExchangesMax + 10);
    for (auto& exchange : exchanges) exchange = site.take_exchange();
    for (auto& exchange : exchanges) site.put_exchange(std::move(exchange));
    for (auto& exchange : exchanges) exchange = site.take_exchange();  // ten of them new
    CHECK(exchanges.front() != nullptr);
    auto grown = site.take_exchange();
    for (int i = 0; i != 40; ++i) fill(*grown, 8 * 1024);
    site.put_exchange(std::move(grown));
    CHECK(site.take_exchange()->room().size() < 64 * 1024);
    co_return;
  });
}

TEST_CASE("a lease holds nothing until it takes, and gives back once") {
  Runtime runtime(test_options());
  Site site(App{}, ServerOptions{}, runtime.worker_count());
  runtime.block_on([&]() -> Task<> {
    ExchangeLease lease(site);
    CHECK_FALSE(lease);
    lease.take();
    const Exchange* exchange = &*lease;
    lease.take();
    CHECK(&*lease == exchange);
    lease.give_back();
    CHECK_FALSE(lease);
    lease.give_back();
    lease.take();
    CHECK(&*lease == exchange);
    co_return;
  });
}

TEST_SUITE_END();
}  // namespace volt::http::server
