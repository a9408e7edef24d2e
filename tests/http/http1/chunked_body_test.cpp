// SPDX-License-Identifier: MIT

#include "http/http1/chunked_body.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/http/http1/decode_stream.h"

namespace volt::http::http1 {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/http1/chunked_body");

namespace {

constexpr std::string_view kChunkedHead = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunked(std::string_view body) { return std::string(kChunkedHead).append(body); }

// Returns the outcome, which must be equal for one piece, single bytes and any cut in two.
DecodedStream decode_all_ways(std::string_view bytes) {
  const DecodedStream whole = decode_stream(bytes);
  CHECK(decode_byte_by_byte(bytes) == whole);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    if (decode_stream(bytes, {cut}) == whole) continue;
    CAPTURE(cut);
    CHECK(decode_stream(bytes, {cut}) == whole);
  }
  return whole;
}

}  // namespace

TEST_CASE("a chunked body is decoded exactly as RFC 9112 section 7.1 defines") {
  using namespace std::string_view_literals;
  const struct {
    std::string_view why;
    std::string_view body;
    int status;
    std::string_view data;
  } cases[] = {
      {"7.1: one chunk", "5\r\nhello\r\n0\r\n\r\n", 200, "hello"},
      {"7.1: several chunks", "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", 200, "hello world"},
      {"7.1: none", "0\r\n\r\n", 200, ""},
      {"7.1: several zeros end the body too", "000\r\n\r\n", 200, ""},
      {"7.1: both cases of hex", "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n", 200, "01234567890123456789a"},
      {"7.1: leading zeros", "0005\r\nhello\r\n0\r\n\r\n", 200, "hello"},
      {"7.1: sixteen digits", "0000000000000005\r\nhello\r\n0\r\n\r\n", 200, "hello"},
      {"7.1: data like framing", "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", 200, "\r\n0\r\n\r\n"},
      {"7.1.1: extension", "5;a\r\nhello\r\n0;b\r\n\r\n", 200, "hello"},
      {"7.1.1: extensions with values", "5;a=b;c=d\r\nhello\r\n0\r\n\r\n", 200, "hello"},
      {"7.1.1: quoted", "5;a=\"b;\\\"\t=\"\r\nhello\r\n0\r\n\r\n", 200, "hello"},
      {"7.1.1: white space around ; and =", "5 ; a\t=  b ;c\r\nhello\r\n0\r\n\r\n", 200, "hello"},

      {"7.1: no size", "\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: only an extension", ";a\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: plus", "+5\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: minus", "-5\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: 0x", "0x5\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: h at the end", "5h\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: no hex", "g\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: underscore", "1_0\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: space before the size", " 5\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: space after the size", "5 \r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: seventeen digits", "00000000000000005\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: past 2^64", "10000000000000005\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: just below 2^64", "FFFFFFFFFFFFFFFE\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: 2^63", "8000000000000000\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"9110 15.5.14: 2^63 - 1 is well-formed but too large", "7fffffffffffffff\r\nhello\r\n0\r\n\r\n", 413, ""},
      {"7.1: bare LF after the size", "5\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: bare CR after the size", "5\rhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: CR CR LF after the size", "5\r\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1: NUL after the size", "5\0\r\nhello\r\n0\r\n\r\n"sv, 400, ""},
      {"7.1: bare LF after the data", "5\r\nhello\n0\r\n\r\n", 400, ""},
      {"7.1: bare CR after the data", "5\r\nhello\r0\r\n\r\n", 400, ""},
      {"7.1: no CRLF after the data", "5\r\nhello0\r\n\r\n", 400, ""},
      {"7.1: any two bytes after the data", "5\r\nhelloXX0\r\n\r\n", 400, ""},
      {"7.1: more data than announced", "5\r\nhello!\r\n0\r\n\r\n", 400, ""},
      {"7.1: bare LF after the last chunk", "0\n\r\n", 400, ""},
      {"7.1: bare LF at the end", "0\r\n\n", 400, ""},
      {"7.1: CR and another byte at the end", "0\r\n\rX", 400, ""},
      {"7.1.1: no name", "5;\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: no name before =", "5;=a\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: no value after =", "5;a=\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: a name that is not a token", "5;a[=b\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: two names", "5;a b\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: white space at the end", "5;a \r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: white space after a value", "5;a=b \r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: quotes not closed", "5;a=\"b\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: bytes after quotes", "5;a=\"b\"c\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: bare LF", "5;a\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: bare LF in quotes", "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: escaped LF in quotes", "5;a=\"\\\n\"\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: bare CR", "5;a\rb\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: bare CR in quotes", "5;a=\"\r\"\r\nhello\r\n0\r\n\r\n", 400, ""},
      {"7.1.1: NUL", "5;\0a\r\nhello\r\n0\r\n\r\n"sv, 400, ""},

      {"an incomplete chunk", "5\r\nhel", 0, ""},
      {"an incomplete end", "5\r\nhello\r\n0\r\n", 0, ""},
      {"the last byte is missing", "0\r\n\r", 0, ""},
  };
  for (const auto& [why, body, status, data] : cases) {
    CAPTURE(why);
    const DecodedStream stream = decode_all_ways(chunked(body));
    CHECK(stream.status() == status);
    if (status == 200) CHECK(stream.messages[0].body == data);
    if (status == 200) CHECK(stream.left_bytes == 0);
  }
}

TEST_CASE("trailers are separate from the header fields, RFC 9112 section 7.1.2") {
  const struct {
    std::string_view why;
    std::string_view trailers;
    int status;
  } cases[] = {
      {"one trailer", "X-Sum: abc\r\n\r\n", 200},
      {"two trailers", "X-Sum: abc\r\nX-More:\r\n\r\n", 200},
      {"9110 6.5.1: a field that is allowed", "Content-Type: a/b\r\n\r\n", 200},
      {"9110 6.5.1: framing", "Content-Length: 5\r\n\r\n", 400},
      {"9110 6.5.1: a framing field", "X: 1\r\ntransfer-encoding: chunked\r\n\r\n", 400},
      {"9110 6.5.1: routing", "Host: b\r\n\r\n", 400},
      {"9110 6.5.1: authentication", "Authorization: x\r\n\r\n", 400},
      {"9110 6.5.1: other forbidden fields", "Cookie: a=b\r\n\r\n", 400},
      {"9110 6.5.1: a connection field", "Connection: close\r\n\r\n", 400},
      {"5.1: space before the colon", "X : 1\r\n\r\n", 400},
      {"5: no colon", "X\r\n\r\n", 400},
      {"5: empty name", ": 1\r\n\r\n", 400},
      {"5.2: folded", "X: 1\r\n 2\r\n\r\n", 400},
      {"2.2: leading white space", " X: 1\r\n\r\n", 400},
      {"2.2: bare LF", "X: 1\n\r\n", 400},
      {"2.2: bare LF at the end", "X: 1\r\n\n", 400},
      {"9110 5.5: NUL", "X: \0\r\n\r\n"sv, 400},
      {"an incomplete end", "X: 1\r\n", 0},
  };
  for (const auto& [why, trailers, status] : cases) {
    CAPTURE(why);
    const std::string bytes = chunked("1\r\nx\r\n0\r\n").append(trailers);
    CHECK(decode_all_ways(bytes).status() == status);
  }
  const DecodedStream stream = decode_all_ways(chunked("0\r\nX-Sum:  abc \r\nHosts: b\r\n\r\nGET"));
  REQUIRE(stream.messages.size() == 1);
  const std::vector<std::pair<std::string, std::string>> want = {{"X-Sum", "abc"}, {"Hosts", "b"}};
  CHECK(stream.messages[0].trailers == want);
  CHECK(stream.messages[0].fields.size() == 2);
  CHECK(stream.left_bytes == 3);
}

TEST_CASE("head and body are consumed exactly, and pipelined bytes are the next request, section 9.3.2") {
  const std::string bytes = std::string("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
                                .append("POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET")
                                .append("\r\n")
                                .append(kChunkedHead)
                                .append("4\r\nPOST\r\n0\r\nX: 1\r\n\r\n")
                                .append(kChunkedHead)
                                .append("0\r\n\r\n")
                                .append("POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                                .append("GET /6 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
                                .append("GET /7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                                .append("GET /8");
  const DecodedStream stream = decode_all_ways(bytes);
  REQUIRE(stream.messages.size() == 7);
  CHECK_FALSE(stream.error.has_value());
  CHECK(stream.messages[0].target == "/1");
  CHECK(stream.messages[1].body == "GET");
  CHECK(stream.messages[2].body == "POST");
  CHECK(stream.messages[2].trailers.size() == 1);
  CHECK(stream.messages[3].trailers.empty());
  CHECK(stream.messages[5].target == "/6");  // 9110 7.8: a server declines an offer by ignoring it
  CHECK(stream.messages[6].target == "/7");
  CHECK(stream.left_bytes == 6);  // 9.6: bytes after `close` do not affect the response
}

TEST_CASE("bytes that a client sends after a refused message are not decoded") {
  const DecodedStream stream = decode_all_ways(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: "
      "chunked\r\n\r\n0\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(stream.messages.size() == 1);
  CHECK(stream.error == ParseError::conflicting_framing);
}

TEST_CASE("a sized body that arrived as a whole is returned as one view") {
  const Limits limits;
  RequestDecoder decoder(limits);
  constexpr std::string_view bytes = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET";
  REQUIRE(decoder.decode_head(bytes) == HeadState::complete);
  CHECK(decoder.framing() == Framing{Framing::Kind::sized, 5});
  const auto step = decoder.decode_body(bytes.substr(decoder.head_bytes()));
  REQUIRE(step.has_value());
  CHECK(*step == BodyStep{5, "hello", true});
  CHECK(step->data.data() == bytes.data() + decoder.head_bytes());
}

TEST_SUITE_END();
}  // namespace volt::http::http1
