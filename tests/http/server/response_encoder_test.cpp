// SPDX-License-Identifier: MIT

#include "http/server/response_encoder.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::server {
TEST_SUITE_BEGIN("http/server/response_encoder");

namespace {

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";
#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
#define TEXT "Content-Type: text/plain; charset=utf-8\r\n"

std::string encoded(const Response& response, const ResponseEncoderOptions& encoder_options = {}) {
  std::string out = "before";
  ResponseEncoderOptions dated = encoder_options;
  dated.date = kDate;
  encode_response(response, dated, out);
  REQUIRE(out.starts_with("before"));
  return out.substr(6);
}

}  // namespace

TEST_CASE("a response is composed as RFC 9112 section 4 says") {
  const auto hello = [] { return Response::fixed("hello"); };
  const ResponseEncoderOptions close{.keep_alive = false};
  const ResponseEncoderOptions head{.head_only = true};
  const ResponseEncoderOptions old{.version = Version::http_1_0};
  const ResponseEncoderOptions old_close{.version = Version::http_1_0, .keep_alive = false};
  const struct {
    std::string_view why;
    Response response;
    ResponseEncoderOptions encoder_options;
    std::string_view want;
  } cases[] = {
      {"9110 6.6.1, 8.6: Date and Content-Length on each",
       hello(),
       {},
       "HTTP/1.1 200 OK\r\n" DATE TEXT "Content-Length: 5\r\n\r\nhello"},
      {"9.6: the close is announced", hello(), close,
       "HTTP/1.1 200 OK\r\n" DATE TEXT "Content-Length: 5\r\nConnection: close\r\n\r\nhello"},
      {"9.3: keep-alive is announced to a 1.0 client", hello(), old,
       "HTTP/1.1 200 OK\r\n" DATE TEXT "Content-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"},
      {"9.3: a close is announced to a 1.0 client", hello(), old_close,
       "HTTP/1.1 200 OK\r\n" DATE TEXT "Content-Length: 5\r\nConnection: close\r\n\r\nhello"},
      {"9110 9.3.2: HEAD has the fields of GET and no body", hello(), head,
       "HTTP/1.1 200 OK\r\n" DATE TEXT "Content-Length: 5\r\n\r\n"},
      {"no body is a body of no bytes", Response(), {}, "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 0\r\n\r\n"},
      {"9110 8.6: 204 has no length", Response(Status::no_content), {}, "HTTP/1.1 204 No Content\r\n" DATE "\r\n"},
      {"9110 15.3.5: nor a body, whatever it was given",
       Response::text("x", Status::no_content),
       {},
       "HTTP/1.1 204 No Content\r\n" DATE "\r\n"},
      {"9110 15.4.5: 304 ends with its head",
       Response::text("x", Status::not_modified).header("ETag", "\"1\""),
       {},
       "HTTP/1.1 304 Not Modified\r\n" DATE "ETag: \"1\"\r\n\r\n"},
      {"9110 15.3.6: 205 has a length of none",
       Response::fixed("x", "a/b", Status::reset_content),
       {},
       "HTTP/1.1 205 Reset Content\r\n" DATE "Content-Type: a/b\r\nContent-Length: 0\r\n\r\n"},
      {"9110 15.2: 1xx has neither",
       Response(Status::early_hints).header("Link", "</a>"),
       {},
       "HTTP/1.1 103 Early Hints\r\n" DATE "Link: </a>\r\n\r\n"},
      {"an error as text",
       Response::plain(Status::not_found),
       {},
       "HTTP/1.1 404 Not Found\r\n" DATE TEXT "Content-Length: 9\r\n\r\nNot Found"},
      {"4: a status without a name keeps its space",
       Response::text("x", Status{299}),
       {},
       "HTTP/1.1 299 \r\n" DATE TEXT "Content-Length: 1\r\n\r\nx"},
      {"fields in their order",
       Response::json("{}").header("B", "2").add_header("A", "1").add_header("A", "3"),
       {},
       "HTTP/1.1 200 OK\r\n" DATE
       "Content-Type: application/json\r\nContent-Length: 2\r\nB: 2\r\nA: 1\r\nA: 3\r\n\r\n{}"},
      {"a content type of the handler's own",
       Response::text("x").header("content-type", "a/b"),
       {},
       "HTTP/1.1 200 OK\r\n" DATE "Content-Type: a/b\r\nContent-Length: 1\r\n\r\nx"},
  };
  for (const auto& [why, response, encoder_options, want] : cases) {
    CAPTURE(why);
    CHECK(encoded(response, encoder_options) == want);
  }
}

TEST_CASE("responses are appended to the buffer, however often it has to grow") {
  std::string out;
  std::string expected;
  const ResponseEncoderOptions encoder_options{.date = kDate};
  const Response response = Response::fixed("x");
  for (int count = 1; count <= 1'000; ++count) {
    CAPTURE(count);
    encode_response(response, encoder_options, out);
    expected += encoded(response);
    REQUIRE(out == expected);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
