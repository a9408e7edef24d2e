// SPDX-License-Identifier: MIT

// Paths that are spelled in several ways, and values of Vary that are not.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "http/middleware/cache.h"
#include "http/server/app.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using test::InProcessApp;

App cached_app(const std::shared_ptr<ResponseCache>& cache, const std::string& vary = {}) {
  App app;
  app.use(http::cache(cache));
  app.get("/{name}", [vary] {
    Response response = Response::text("body").header("Cache-Control", "max-age=60");
    if (!vary.empty()) response.header("Vary", vary);
    return response;
  });
  app.post("/{name}", [] { return Status::ok; });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/cache_spelling");

TEST_CASE("a path is invalidated in all its spellings") {
  const auto cache = std::make_shared<ResponseCache>();
  InProcessApp app(cached_app(cache));
  const auto is_kept = [&](const std::string& path) { return app.get(path).header("Age").has_value(); };
  CHECK_FALSE(is_kept("/a:b"));
  CHECK_FALSE(is_kept("/%61:b"));
  CHECK(is_kept("/%61:b"));
  app.runtime().block_on([&] { return cache->remove("/a:b"); });
  CHECK_FALSE(is_kept("/%61:b"));
  CHECK_FALSE(is_kept("/a:b"));
  CHECK(is_kept("/a:b"));
  CHECK(app.ask({.method = Method::post, .path = "/a%3ab"}).status() == Status::ok);
  CHECK_FALSE(is_kept("/a:b"));
}

TEST_CASE("values of a field that Volt does not know are compared as they are") {
  InProcessApp app(cached_app(std::make_shared<ResponseCache>(), "Accept-Profile"));
  CHECK_FALSE(app.get("/x", {{"Accept-Profile", "A"}}).header("Age"));
  CHECK(app.get("/x", {{"Accept-Profile", "A"}}).header("Age"));
  CHECK_FALSE(app.get("/x", {{"Accept-Profile", "a"}}).header("Age"));
}

TEST_SUITE_END();

}  // namespace volt::http
