// SPDX-License-Identifier: MIT

#include "http/server/server_state.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "runtime/runtime.h"
#include "tests/support/served_app.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;

std::string fill(RequestContext& request_context, std::size_t bytes) {
  const auto room = request_context.room();
  const std::size_t count = std::min(bytes, room.size());
  std::fill_n(room.begin(), count, std::byte{'x'});
  request_context.add_received(count);
  return std::string(count, 'x');
}

}  // namespace

TEST_SUITE_BEGIN("http/server/server_state");

TEST_CASE("the date is composed once a second, by the monotonic clock") {
  DateCache cache;
  const std::string first(cache.view(0ns));
  CHECK(first.size() == message::kHttpDateBytes);
  CHECK(first.ends_with(" GMT"));
  CHECK(first != message::HttpDate(std::chrono::sys_seconds{}).view());
  CHECK(cache.view(0ns).data() == cache.view(1ns).data());
  const auto wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string later(cache.view(2s));  // after the end of the second
  const message::HttpDate now(wall), next(wall + 1s);
  CHECK((later == now.view() || later == next.view()));
}

TEST_CASE("a RequestContext that was returned is reused, without traces of its last use") {
  Runtime runtime(test_options());
  ServerState server_state(App{}, ServerOptions{}, runtime.worker_count(), runtime.worker_slots());
  runtime.block_on([&]() -> Task<> {
    auto request_context = server_state.take_request_context();
    const RequestContext* first = request_context.get();
    fill(*request_context, 100);
    request_context->refuse(Status::bad_request, "date");
    CHECK_FALSE(request_context->idle());
    server_state.put_request_context(std::move(request_context));
    auto again = server_state.take_request_context();
    CHECK(again.get() == first);
    CHECK(again->idle());
    CHECK(again->unsent().empty());
    co_return;
  });
}

TEST_CASE("a lease is empty until take(), and returns its context once") {
  Runtime runtime(test_options());
  ServerState server_state(App{}, ServerOptions{}, runtime.worker_count(), runtime.worker_slots());
  runtime.block_on([&]() -> Task<> {
    RequestContextLease lease(server_state);
    CHECK_FALSE(lease);
    lease.take();
    const RequestContext* request_context = &*lease;
    lease.take();
    CHECK(&*lease == request_context);
    lease.give_back();
    CHECK_FALSE(lease);
    lease.give_back();
    lease.take();
    CHECK(&*lease == request_context);
    co_return;
  });
}

TEST_SUITE_END();
}  // namespace volt::http::server
