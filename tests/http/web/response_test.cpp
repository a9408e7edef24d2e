// SPDX-License-Identifier: MIT

#include "http/web/response.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "tests/http/message/fields_of.h"

namespace volt::http {
TEST_SUITE_BEGIN("http/web/response");

TEST_CASE("a response keeps the values it was constructed with") {
  CHECK(Response().status() == Status::ok);
  CHECK(Response().body().empty());
  CHECK(Response().content_type().empty());
  CHECK(Response::text("a").body() == "a");
  CHECK(Response::text("a").content_type() == "text/plain; charset=utf-8");
  CHECK(Response::html("<p>").content_type() == "text/html; charset=utf-8");
  CHECK(Response::json("{}", Status::created).status() == Status::created);
  CHECK(Response::plain(Status::not_found).body() == "Not Found");
  CHECK(Response::fixed("b", "a/b").content_type() == "a/b");
}

TEST_CASE("a later body replaces the earlier body and its content type") {
  Response response = Response::fixed("a").header("Content-Type", "a/b");
  CHECK(response.content_type() == "a/b");
  CHECK(response.header("content-TYPE") == "a/b");
  response.body("b", "c/d");
  CHECK(response.body() == "b");
  CHECK(response.content_type() == "c/d");
}

TEST_CASE("a moved response keeps its text, short or long") {
  for (const std::size_t bytes : {1U, 1000U}) {
    Response from = Response::text(std::string(bytes, 'x')).header("A", std::string(bytes, 'y'));
    const Response to = std::move(from);
    CHECK(to.body() == std::string(bytes, 'x'));
    CHECK(to.header("a") == std::string(bytes, 'y'));
  }
}

TEST_CASE("fields that delimit the message cannot be set") {
  for (const char* name :
       {"Content-Length", "transfer-encoding", "CONNECTION", "Date", "Keep-Alive", "Upgrade", "TE", "Trailer"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(Response().header(name, "x"), std::invalid_argument);
    CHECK_THROWS_AS(Response().add_header(name, "x"), std::invalid_argument);
  }
  CHECK_THROWS_AS(Response().header("Content-Type", "a\r\nb"), std::invalid_argument);
}

TEST_CASE("a status must be in 100..599") {
  CHECK_NOTHROW(Response(Status{599}));
  CHECK_THROWS_AS(Response(Status{99}), std::invalid_argument);
  CHECK_THROWS_AS(Response(Status{600}), std::invalid_argument);
  CHECK_THROWS_AS(Response().status(Status{0}), std::invalid_argument);
}

TEST_SUITE_END();
TEST_CASE("forward() passes on all fields except those of the connection") {
  const FieldsOf fields{{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"},
                        {"Content-Length", "3"},
                        {"Content-Type", "text/x"},
                        {"Connection", "X-Hop"},
                        {"X-Hop", "1"},
                        {"Set-Cookie", "a=b"},
                        {"Set-Cookie", "c=d"},
                        {"Server", "other"}};
  Response response;
  response.header("Via", "1.1 me").forward(fields.view());
  CHECK(response.content_type() == "text/x");
  CHECK(response.headers().lines() == "Via: 1.1 me\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nServer: other\r\n");
}

}  // namespace volt::http
