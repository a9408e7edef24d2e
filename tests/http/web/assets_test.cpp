// SPDX-License-Identifier: MIT

#include "http/web/assets.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "http/server/app.h"
#include "http/web/extract.h"
#include "tests/http/files/scratch_directory.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"

namespace volt::http {
namespace {

using files::ScratchDirectory;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

App asset_app(const Assets& assets) {
  App app;
  app.get("/assets/{file...}", assets).hidden();
  app.state(assets);
  app.get("/url", [](State<Assets> shown) { return std::string(shown->url("app.css").view()); });
  return app;
}

Reply get(ServedApp& served, std::string_view path, std::string_view fields = {}) {
  HttpClient client(served.port());
  return client.ask(std::string("GET ").append(path).append(" HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n"));
}

constexpr std::string_view kLasting = "max-age=31536000, immutable";

}  // namespace

TEST_SUITE_BEGIN("http/web/assets");

TEST_CASE("a file is kept for a year under the name with its hash, and revalidated under its own") {
  const ScratchDirectory scratch;
  scratch.file("app.css", "a{}");
  scratch.file("pictures/a b.svg", "<svg/>");
  const Assets assets("/assets", scratch.path());
  const std::string url(assets.url("app.css").view());
  CHECK(url == "/assets/app.5f546eb4606b5c2b.css");
  ServedApp served(asset_app(assets));
  CHECK(get(served, "/url").body == url);
  const Reply lasting = get(served, url);
  CHECK(lasting.status == 200);
  CHECK(lasting.body == "a{}");
  CHECK(lasting.field("Cache-Control") == kLasting);
  CHECK(lasting.field("Content-Type") == "text/css; charset=utf-8");
  const Reply own = get(served, "/assets/app.css");
  CHECK(own.status == 200);
  CHECK(own.field("Cache-Control") == "no-cache");
  const std::string condition = "If-None-Match: " + std::string(own.field("ETag")) + "\r\n";
  CHECK(get(served, "/assets/app.css", condition).status == 304);
  CHECK(get(served, assets.url("pictures/a b.svg").view()).field("Cache-Control") == kLasting);
}

TEST_CASE("another version's hash gets the file, but not for a year; other names get 404") {
  const ScratchDirectory outer;
  outer.file("public/app.css", "a{}");
  outer.file("public/.secret", "s");
  outer.file("secret.css", "s");
  const Assets assets("/assets", outer.path("public"));
  ServedApp served(asset_app(assets));
  const Reply older = get(served, "/assets/app.0123456789abcdef.css");
  CHECK(older.status == 200);
  CHECK(older.body == "a{}");
  CHECK(older.field("Cache-Control") == "no-cache");
  for (const std::string_view path : {"/assets/none.0123456789abcdef.css", "/assets/none.css", "/assets/.secret",
                                      "/assets/..%2fsecret.css", "/assets/", "/assets/app.css/"}) {
    CAPTURE(path);
    CHECK(get(served, path).status == 404);
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(assets.url("none.css")),
                       ("directory '" + outer.path("public") + "' has no asset 'none.css'").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(assets.url(".secret")), std::invalid_argument);
}

TEST_CASE("precompressed variants are sent under the same name") {
  const ScratchDirectory scratch;
  scratch.file("app.css", "plain");
  scratch.file("app.css.gz", "coded");
  const Assets assets("/assets", scratch.path(), {.precompressed = true});
  ServedApp served(asset_app(assets));
  const Reply coded = get(served, assets.url("app.css").view(), "Accept-Encoding: gzip\r\n");
  CHECK(coded.body == "coded");
  CHECK(coded.field("Content-Encoding") == "gzip");
  CHECK(coded.field("Cache-Control") == kLasting);
  CHECK(get(served, assets.url("app.css").view()).body == "plain");
}

TEST_CASE("a file that was changed after the start is not kept for a year") {
  const ScratchDirectory scratch;
  scratch.file("app.css", "first");
  const Assets assets("/assets", scratch.path());
  scratch.file("app.css", "second version");
  ServedApp served(asset_app(assets));
  const Reply changed = get(served, assets.url("app.css").view());
  CHECK(changed.body == "second version");
  CHECK(changed.field("Cache-Control") == "no-cache");
}

TEST_CASE("in development a changed or new file has a new address at once") {
  const ScratchDirectory scratch;
  scratch.file("app.css", "first");
  const Assets assets("/assets", scratch.path(), {.development = true});
  ServedApp served(asset_app(assets));
  const std::string first(assets.url("app.css").view());
  CHECK(get(served, first).body == "first");
  scratch.file("app.css", "second version");
  scratch.file("new.css", "new");
  const std::string second(assets.url("app.css").view());
  CHECK(second != first);
  CHECK(get(served, second).body == "second version");
  CHECK(get(served, second).field("Cache-Control") == kLasting);
  CHECK(get(served, first).field("Cache-Control") == "no-cache");
  CHECK(get(served, assets.url("new.css").view()).body == "new");
}

TEST_CASE("a directory that cannot be read, and a file that is too large, are mistakes at the start") {
  const ScratchDirectory scratch;
  scratch.file("large.bin", std::string(101, 'x'));
  CHECK_THROWS_AS(Assets("/assets", scratch.path("none")), std::system_error);
  CHECK_THROWS_AS(Assets("/assets", scratch.path(), {.bytes_max = 100}), std::length_error);
  CHECK_NOTHROW(Assets("/assets", scratch.path(), {.bytes_max = 101}));
}

TEST_SUITE_END();

}  // namespace volt::http
