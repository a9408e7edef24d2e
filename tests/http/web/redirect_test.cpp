// SPDX-License-Identifier: MIT

#include "http/web/redirect.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/cookies/cookies.h"

namespace volt::http {

TEST_SUITE_BEGIN("http/web/redirect");

TEST_CASE("a redirect has a redirect status, a location and no body") {
  const Response after_form = redirect("/items/7?x=%20");
  CHECK(after_form.status() == Status::see_other);
  CHECK(after_form.header("location").value() == "/items/7?x=%20");
  CHECK(after_form.body().empty());
  CHECK(redirect("/", Status::temporary_redirect).status() == Status::temporary_redirect);
  CHECK(permanent_redirect("https://example.com/").status() == Status::permanent_redirect);
}

TEST_CASE("a location cannot split the response, and other statuses are rejected") {
  const struct {
    std::string why, location;
  } cases[] = {
      {"a line break", "/a\r\nSet-Cookie: a=b"},
      {"CR", "/a\rb"},
      {"LF", "/a\nb"},
      {"NUL", std::string("/a\0b", 4)},
      {"a space", "/a b"},
      {"a character beyond ASCII", "/\xc3\xa9"},
      {"nothing", ""},
  };
  for (const auto& [why, location] : cases) {
    CAPTURE(why);
    CHECK_THROWS_AS(static_cast<void>(redirect(location)), std::invalid_argument);
  }
  for (const Status status : {Status::ok, Status::not_modified, Status::multiple_choices, Status::bad_request}) {
    CHECK_THROWS_AS(static_cast<void>(redirect("/", status)), std::invalid_argument);
  }
}

TEST_CASE("a path is local if no client can read it as a host") {
  const struct {
    std::string why, location;
    bool local;
  } cases[] = {
      {"a path", "/a/b?c=d#e", true},
      {"the root", "/", true},
      {"two slashes further on", "/a//b", true},
      {"a whole URI", "https://example.com/", false},
      {"a host", "//example.com/", false},
      {"a backslash is a slash to browsers", "/\\example.com", false},
      {"browsers skip tabs", "/\t/example.com", false},
      {"browsers skip line ends", "/\n/example.com", false},
      {"relative", "a", false},
      {"a scheme", "javascript:alert(1)", false},
      {"nothing", "", false},
  };
  for (const auto& [why, location, local] : cases) {
    CAPTURE(why);
    CHECK(is_local_path(location) == local);
  }
}

TEST_CASE("each cookie has a field of its own") {
  const Response response = Response::no_content().cookie(SetCookie("a", "1")).cookie(SetCookie::expire("b"));
  CHECK(response.status() == Status::no_content);
  const std::string lines(response.headers().lines());
  CAPTURE(lines);
  CHECK(lines.starts_with("Set-Cookie: a=1; Path=/"));
  CHECK(lines.find("\r\nSet-Cookie: b=; Path=/; Max-Age=0") != std::string::npos);
}

TEST_SUITE_END();
}  // namespace volt::http
