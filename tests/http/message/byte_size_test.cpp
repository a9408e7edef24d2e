// SPDX-License-Identifier: MIT

#include "http/message/byte_size.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "tests/support/engine.h"

using namespace volt;

namespace {

TEST_SUITE_BEGIN("http/message/byte_size");

static_assert(0_KiB == 0);
static_assert(64_KiB == 65'536);
static_assert(1_MiB == 1024 * 1_KiB);
static_assert(3_GiB == 3'221'225'472);
static_assert(17'179'869'183_GiB == UINT64_MAX - (1_GiB - 1), "the largest size");

TEST_CASE("http/http.h provides the usual middleware and the literals for sizes") {
  http::App app;
  app.use(http::request_id(), http::access_log({.sink = [](std::string_view) {}}), http::compress());
  auto api = app.group("/api");
  api.use(http::timeout(std::chrono::seconds(2)), http::body_limit(64_KiB));
  api.post("/size", [](http::Request& request) { return std::to_string(request.body().size()); });
  http::TestClient client(std::move(app), {.io = test_options().io});
  CHECK(client.post("/api/size").body(std::string(64_KiB, 'a')).send().body() == "65536");
  CHECK(client.post("/api/size").body(std::string(64_KiB + 1, 'a')).send().status() == 413);
}

TEST_SUITE_END();

}  // namespace
