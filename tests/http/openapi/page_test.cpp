// SPDX-License-Identifier: MIT

#include "http/openapi/page.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "http/openapi/openapi.h"
#include "http/server/app.h"
#include "tests/support/in_process_app.h"

namespace volt::http {

TEST_SUITE_BEGIN("http/openapi/page");

TEST_CASE("the page refers to the document relatively, and its policy allows its own script and style only") {
  const struct {
    std::string page, document, want;
  } cases[] = {
      {"/docs", "/openapi.json", "./openapi.json"},
      {"/", "/api/openapi.json", "./api/openapi.json"},
      {"/a/b/docs", "/a/openapi.json", "./../../a/openapi.json"},
      {"/docs", "/a\"><b>&.json", "./a&quot;><b>&amp;.json"},
  };
  for (const auto& one : cases) {
    const openapi::Page page = openapi::compose_page(one.page, one.document);
    CAPTURE(one.page);
    CHECK(page.html.find(R"(<meta name="openapi" content=")" + one.want + "\">") != std::string::npos);
  }
  App app;
  app.openapi_page("/docs");  // before the document: the order does not matter
  app.openapi("/openapi.json", {.title = "t", .version = "1"});
  app.openapi("/second.json", {.title = "u", .version = "1"});
  CHECK(app.openapi({.title = "t", .version = "1"}).find("/docs") == std::string::npos);
  test::InProcessApp served(std::move(app));
  const Response answer = served.get("/docs");
  CHECK(answer.header("content-type") == "text/html; charset=utf-8");
  const std::string_view html = answer.body();
  const auto between = [html](std::string_view begin, std::string_view end) {
    const std::size_t from = html.find(begin) + begin.size();
    return html.substr(from, html.find(end, from) - from);
  };
  const auto hash = [&between](std::string_view begin, std::string_view end) {
    return "'sha256-" + crypto::base64_encode(crypto::sha256(between(begin, end))) + "'";
  };
  CHECK(between(R"(name="openapi" content=")", "\"") == "./openapi.json");
  CHECK(between("<script>", "</script>").size() > 1000);
  CHECK(answer.header("content-security-policy") ==
        "default-src 'none'; script-src " + hash("<script>", "</script>") + "; style-src " +
            hash("<style>", "</style>") +
            "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'");
}

TEST_CASE("a page without a document, or at a path with parameters, is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(openapi::compose_page("/docs", "")),
                       R"(app.openapi_page("/docs") needs a document: add one with app.openapi())",
                       std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(openapi::compose_page("/{a}/docs", "/o")), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(openapi::compose_page("/docs", "/{a}/o")), std::invalid_argument);
  App app;
  app.openapi_page("/docs");
  CHECK_THROWS_AS(test::InProcessApp(std::move(app)), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http
