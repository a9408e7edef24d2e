// SPDX-License-Identifier: MIT

#include "config/development/build_errors.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "http/server/app.h"
#include "http/server/app_hooks.h"
#include "http/testing/test_client.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"

namespace volt::config {
namespace {

// An app whose own middleware refuses every request without a token, and the file with the errors of its last build.
class DevelopedApp {
 public:
  DevelopedApp() : client_(make_app(file()), {.server = {}, .io = test_options().io}) {}

  [[nodiscard]] std::string file() const { return (directory_.path() / "build_errors").string(); }
  void fail(std::string_view text) const { std::ofstream(file()) << text; }
  void mend() const { std::filesystem::remove(file()); }

  http::TestResponse get(std::string_view accept) { return client_.get("/shop").header("Accept", accept).send(); }
  // Sends the request of the page's script.
  http::TestResponse look(std::string_view shown) {
    return client_.get("/shop").header("Accept", "*/*").header("Volt-Build-Errors", shown).send();
  }

 private:
  static http::App make_app(std::string file) {
    http::App app;
    app.use([](http::Request& request, http::Next next) -> Task<http::Response> {
      if (!request.header("x-token")) co_return http::Response::plain(http::Status::unauthorized);
      co_return co_await next(request);
    });
    app.get("/shop", [] { return "the shop"; });
    app.hooks()->outermost.push_back(show_build_errors(std::move(file)));
    return app;
  }

  test::Directory directory_;
  http::TestClient client_;
};

constexpr std::string_view kBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";

// Returns the value of data-version in the page.
std::string version_in(std::string_view page) {
  constexpr std::string_view kMark = "data-version=\"";
  const std::size_t begin = page.find(kMark) + kMark.size();
  return std::string(page.substr(begin, page.find('"', begin) - begin));
}

}  // namespace

TEST_SUITE_BEGIN("config/development/build_errors");

TEST_CASE("only requests that name text/html get the errors, instead of all that the app does") {
  DevelopedApp app;
  CHECK(app.get(kBrowser).status() == 401);
  app.fail("app.cpp:7:3: error: no member named 'gett' in 'App'\n");
  const struct {
    std::string_view why;
    std::string_view accept;
    int status;
  } cases[] = {
      {"a browser", kBrowser, 500},
      {"a browser, in capitals and with a parameter", "application/json, Text/HTML;level=1;q=0.1", 500},
      {"an API client", "application/json", 401},
      {"curl", "*/*", 401},
      {"any text is not a page", "text/*", 401},
      {"a client that refuses pages", "text/html;q=0, */*", 401},
      {"no preference", "", 401},
  };
  for (const auto& [why, accept, status] : cases) {
    CAPTURE(why);
    CHECK(app.get(accept).status() == status);
  }
  app.mend();
  CHECK(app.get(kBrowser).status() == 401);
  app.fail("");
  CHECK(app.get(kBrowser).status() == 401);
}

TEST_CASE("the page has the text of the errors, escaped, and is neither kept nor able to load anything") {
  DevelopedApp app;
  app.fail("In file included from app.cpp:1:\napp.h:2:1: error: no template named 'vector<int>' & \"more\"\n  2 | }\n");
  const auto response = app.get(kBrowser);
  const std::string page(response.body());
  CAPTURE(page);
  CHECK(
      page.contains("In file included from app.cpp:1:\n<b>app.h:2:1: error: no template named &#39;vector&lt;int&gt;"
                    "&#39; &amp; &quot;more&quot;</b>\n  2 | }\n"));
  CHECK(page.contains("<title>app.h:2:1: error: no template"));
  CHECK(response.header("cache-control") == "no-store");
  CHECK(response.header("content-security-policy")->starts_with("default-src 'none';"));
  CHECK(!page.contains("There is more"));
}

TEST_CASE("the script of a page learns when its errors have changed or gone, and no handler runs for it") {
  DevelopedApp app;
  app.fail("one\n");
  const std::string version = version_in(app.get(kBrowser).body());
  CHECK(app.look(version).status() == 204);
  app.fail("two\n");
  CHECK(app.look(version).status() == 200);
  CHECK(version_in(app.get(kBrowser).body()) != version);
  app.mend();
  CHECK(app.look(version).status() == 200);
  CHECK(app.look(version).body() == "changed\n");
}

TEST_CASE("of a long file the page has the beginning, and says so") {
  DevelopedApp app;
  app.fail(std::string(kBuildErrorsBytesMax, 'a') + "b");
  const std::string page(app.get(kBrowser).body());
  CHECK(page.contains("There is more"));
  CHECK(page.contains("aaaa\n</pre>"));
  app.fail(std::string(kBuildErrorsBytesMax, 'a'));
  CHECK(!app.get(kBrowser).body().contains("There is more"));
}

TEST_CASE("a file that cannot be read is an error that the page names") {
  DevelopedApp app;
  std::filesystem::create_directory(app.file());
  const auto response = app.get(kBrowser);
  CHECK(response.status() == 500);
  CHECK(response.body().contains("cannot read development.build_errors, " + app.file() + ": Is a directory"));
}

TEST_SUITE_END();

}  // namespace volt::config
