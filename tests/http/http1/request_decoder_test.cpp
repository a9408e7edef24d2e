// SPDX-License-Identifier: MIT

#include "http/http1/request_decoder.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/http/http1/decode_stream.h"

namespace volt::http::http1 {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/http1/request_decoder");

namespace {

struct Verdict {
  std::string_view why;
  std::string_view bytes;
  int status;  // 200: a message was decoded; 0: more bytes are needed
};

// Checks the result, and that it does not depend on how the bytes are split.
void check_verdict(const Verdict& verdict) {
  CAPTURE(verdict.why);
  const DecodedStream whole = decode_stream(verdict.bytes);
  CHECK(whole.status() == verdict.status);
  CHECK(decode_byte_by_byte(verdict.bytes) == whole);
  for (std::size_t cut = 1; cut < verdict.bytes.size(); ++cut) {
    if (decode_stream(verdict.bytes, {cut}) == whole) continue;
    CAPTURE(cut);
    CHECK(decode_stream(verdict.bytes, {cut}) == whole);
  }
}

}  // namespace

TEST_CASE("the request line is method SP target SP HTTP/1.x, RFC 9112 section 3") {
  const Verdict verdicts[] = {
      {"3: a complete request line", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"2.3: HTTP/1.0, no Host needed", "GET / HTTP/1.0\r\n\r\n", 200},
      {"2.3: HTTP/1.2 is served as 1.1", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 200},
      {"2.3: HTTP/1.9 is served as 1.1, so it needs a Host", "GET / HTTP/1.9\r\n\r\n", 400},
      {"2.3: HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"2.3: HTTP/3.0", "GET / HTTP/3.0\r\n\r\n", 505},
      {"2.3: HTTP/9.9 with an unknown method", "FOO / HTTP/9.9\r\n\r\n", 505},
      {"9113 3.4: the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"2.3: HTTP/2.0, before the line's end", "GET / HTTP/2.0", 505},
      {"2.3: HTTP/0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 400},
      {"the request line of HTTP/0.9", "GET /\r\n", 400},
      {"3: no version", "GET / \r\n", 400},
      {"3: no target", "GET HTTP/1.1\r\n\r\n", 400},
      {"3: empty target", "GET  HTTP/1.1\r\n\r\n", 400},
      {"2.3: lower case", "GET / http/1.1\r\n\r\n", 400},
      {"2.3: mixed case", "GET / HTtP/1.1\r\n\r\n", 400},
      {"2.3: one digit", "GET / HTTP/1\r\n\r\n", 400},
      {"2.3: two digits", "GET / HTTP/1.10\r\n\r\n", 400},
      {"2.3: leading zeros", "GET / HTTP/01.1\r\n\r\n", 400},
      {"2.3: no dot", "GET / HTTP/1,1\r\n\r\n", 400},
      {"2.3: letters", "GET / HTTP/a.b\r\n\r\n", 400},
      {"2.3: another protocol", "GET / RTSP/1.0\r\n\r\n", 400},
      {"2.3: a third protocol", "SOURCE / ICE/1.0\r\n\r\n", 400},
      {"3: two spaces before the target", "GET  / HTTP/1.1\r\n\r\n", 400},
      {"3: two spaces before the version", "GET /  HTTP/1.1\r\n\r\n", 400},
      {"3: space at the end", "GET / HTTP/1.1 \r\n\r\n", 400},
      {"3: space at the start", " GET / HTTP/1.1\r\n\r\n", 400},
      {"3: tab before the target", "GET\t/ HTTP/1.1\r\n\r\n", 400},
      {"3: tab before the version", "GET /\tHTTP/1.1\r\n\r\n", 400},
      {"3: space in the target", "GET /a b HTTP/1.1\r\n\r\n", 400},
      {"2.2: bare LF", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"2.2: bare CR", "GET / HTTP/1.1\rHost: a\r\r", 400},
      {"2.2: two CR", "GET / HTTP/1.1\r\r\n", 400},
      {"3.2: NUL in the target", "GET /\0 HTTP/1.1\r\n\r\n"sv, 400},
      {"3.2: control in the target", "GET /\x01 HTTP/1.1\r\n\r\n", 400},
      {"3.2: DEL in the target", "GET /\x7f HTTP/1.1\r\n\r\n", 400},
      {"3.2: 8-bit bytes in the target", "GET /\xc3\xa9 HTTP/1.1\r\n\r\n", 400},
      {"3.2: fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"3986 2.1: bad escape", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"3.2.4: `*` with GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"3.2.4: `*` with OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"3.2.3: CONNECT is not supported", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501},
      {"3.2.3: CONNECT to a path", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"3: NUL in the method", "GE\0T / HTTP/1.1\r\n\r\n"sv, 400},
      {"3: colon in the method", "GE:T / HTTP/1.1\r\n\r\n", 400},
      {"9110 9.1: unknown method", "FOO / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"9110 9.1: methods are case-sensitive", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"9110 9.1: an unusual but valid token", "-!#$ / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"9110 9.1: a prefix of a method", "GE / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"9110 9.1: a registered method", "PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"a TLS client", "\x16\x03\x01\x02", 400},
      {"no byte yet", "", 0},
      {"an incomplete line", "GET / HT", 0},
      {"an incomplete head", "GET / HTTP/1.1\r\nHost: a\r\n", 0},
      {"the head's last byte is missing", "GET / HTTP/1.1\r\nHost: a\r\n\r", 0},
  };
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("empty lines before a request are skipped, RFC 9112 section 2.2") {
  const Verdict verdicts[] = {
      {"one empty line", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"four empty lines", "\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"five empty lines", "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"only empty lines", "\r\n\r\n", 0},
      {"an empty line of a bare LF", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"an empty line of a bare CR", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"a space in the empty line", " \r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
  };
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("the Host field must be present once and valid, RFC 9112 section 3.2") {
  const Verdict verdicts[] = {
      {"missing", "GET / HTTP/1.1\r\n\r\n", 400},
      {"empty", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
      {"two different hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"two equal hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400},
      {"two hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"a list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
      {"userinfo", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},
      {"a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"invalid in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", 400},
      {"invalid, with an absolute target", "GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
      {"missing, with an absolute target", "GET http://a/ HTTP/1.1\r\n\r\n", 400},
      {"white space around the host", "GET / HTTP/1.1\r\nHost: \t a \t\r\n\r\n", 200},
  };
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("content has exactly one type, RFC 9110 sections 5.3 and 8.3") {
#define POST "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
  const Verdict verdicts[] = {
      {"one type", POST "Content-Type: text/plain\r\n\r\nx", 200},
      {"two types", POST "Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\nx", 400},
      {"names are case-insensitive", POST "Content-Type: text/plain\r\ncontent-type: text/html\r\n\r\nx", 400},
      {"an empty one and another one", POST "Content-Type:\r\nContent-Type: text/html\r\n\r\nx", 400},
      {"the third of three differs", POST "Content-Type: a/b\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\nx", 400},
      {"the second of three differs", POST "Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Type: a/b\r\n\r\nx", 400},
      {"two types without content", "GET / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n", 400},
      {"two equal types are accepted", POST "Content-Type: a/b\r\nContent-Type: \ta/b \r\n\r\nx", 200},
      {"another field whose name has this length", POST "Content-Taps: a/b\r\nContent-Taps: c/d\r\n\r\nx", 200},
  };
#undef POST
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("credentials are sent once, RFC 9110 sections 5.3 and 11.6.2") {
#define HEAD "GET / HTTP/1.1\r\nHost: a\r\n"
  const Verdict verdicts[] = {
      {"none", HEAD "\r\n", 200},
      {"once", HEAD "Authorization: Bearer a\r\n\r\n", 200},
      {"twice", HEAD "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n", 400},
      {"twice the same", HEAD "Authorization: Bearer a\r\nAuthorization: Bearer a\r\n\r\n", 400},
      {"names are case-insensitive", HEAD "Authorization: a\r\nX: y\r\nAUTHORIZATION: a\r\n\r\n", 400},
      {"three times", HEAD "Authorization: a\r\nAuthorization: a\r\nAuthorization: a\r\n\r\n", 400},
      {"another field whose name has this length", HEAD "If-None-Match: a\r\nIf-None-Match: b\r\n\r\n", 200},
      {"a field that disguises framing", HEAD "ContentLength: 1\r\n\r\n", 400},
  };
#undef HEAD
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("field lines follow RFC 9112 section 5") {
#define HEAD "GET / HTTP/1.1\r\nHost: a\r\n"
  const Verdict verdicts[] = {
      {"5: no white space", HEAD "X:1\r\n\r\n", 200},
      {"5: empty value", HEAD "X:\r\n\r\n", 200},
      {"5: white space only", HEAD "X: \t \r\n\r\n", 200},
      {"9110 5.6.2: every tchar", HEAD "!#$%&'*+-.^_`|~09azAZ: 1\r\n\r\n", 200},
      {"9110 5.5: tab inside a value", HEAD "X: a\tb\r\n\r\n", 200},
      {"9110 5.5: obs-text", HEAD "X: \x80\xff\r\n\r\n", 200},
      {"5: empty name", HEAD ": 1\r\n\r\n", 400},
      {"5: no colon", HEAD "X\r\n\r\n", 400},
      {"5: space in the name", HEAD "X Y: 1\r\n\r\n", 400},
      {"5.1: space before the colon", HEAD "X : 1\r\n\r\n", 400},
      {"5.1: tab before the colon", HEAD "X\t: 1\r\n\r\n", 400},
      {"5.1: space before the colon of Transfer-Encoding", HEAD "Transfer-Encoding : chunked\r\n\r\n", 400},
      {"5.1: space before the colon of Content-Length", HEAD "Content-Length : 1\r\n\r\n", 400},
      {"5.2: folded line", HEAD "X: 1\r\n 2\r\n\r\n", 400},
      {"5.2: folded with tab", HEAD "X: 1\r\n\t2\r\n\r\n", 400},
      {"5.2: folded at once", HEAD "X:\r\n 2\r\n\r\n", 400},
      {"5.2: folded white space", HEAD "X: 1\r\n \r\n\r\n", 400},
      {"5.2: folded framing", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400},
      {"2.2: white space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      {"2.2: tab before the first field", "GET / HTTP/1.1\r\n\tHost: a\r\n\r\n", 400},
      {"2.2: bare LF after a value", HEAD "X: 1\nY: 2\r\n\r\n", 400},
      {"2.2: bare LF ends the head", HEAD "\n", 400},
      {"2.2: LF CR LF", HEAD "X: 1\n\r\n", 400},
      {"2.2: bare CR in a value", HEAD "X: 1\r2\r\n\r\n", 400},
      {"2.2: CR CR LF", HEAD "X: 1\r\r\n\r\n", 400},
      {"2.2: bare CR in a name", HEAD "X\rY: 1\r\n\r\n", 400},
      {"2.2: CR before the last LF", HEAD "\r\r\n", 400},
      {"2.2: CR and another byte end no head", HEAD "\rX", 400},
      {"2.2: CR hides no field", HEAD "X: 1\rTransfer-Encoding: chunked\r\n\r\n", 400},
      {"9110 5.5: NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n"sv, 400},
      {"5.1: NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0: 1\r\n\r\n"sv, 400},
      {"5.1: obs-text in a name", HEAD "X\xe9: 1\r\n\r\n", 400},
      {"5.1: a quote in a name", HEAD "\"X\": 1\r\n\r\n", 400},
  };
#undef HEAD
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("only bytes allowed by RFC 9110 pass in a name or a value") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const std::string c(1, static_cast<char>(byte));
    const std::string in_value = "GET / HTTP/1.1\r\nHost: a\r\nX: a" + c + "b\r\n\r\n";
    const bool value_char = byte == '\t' || (byte >= 0x20 && byte != 0x7f);  // section 5.5
    CHECK(decode_stream(in_value).status() == (value_char ? 200 : 400));
    const std::string in_name = "GET / HTTP/1.1\r\nHost: a\r\na" + c + "b: c\r\n\r\n";
    const bool name_char = message::kTokenChars.contains(c[0]) || c == ":";  // section 5.1
    CHECK(decode_stream(in_name).status() == (name_char ? 200 : 400));
  }
}

TEST_CASE("expectations: 100-continue or 417, only in HTTP/1.1, RFC 9110 section 10.1.1") {
#define POST "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
  const Verdict verdicts[] = {
      {"unknown", POST "Expect: 200-ok\r\n\r\nx", 417},
      {"a list", POST "Expect: 100-continue, x\r\n\r\nx", 417},
      {"a parameter", POST "Expect: 100-continue;x=y\r\n\r\nx", 417},
      {"known", POST "Expect: 100-Continue\r\n\r\nx", 200},
      {"empty", POST "Expect:\r\n\r\nx", 200},
      {"HTTP/1.0", "POST / HTTP/1.0\r\nExpect: x\r\nContent-Length: 1\r\n\r\nx", 200},
  };
#undef POST
  for (const Verdict& verdict : verdicts) check_verdict(verdict);
}

TEST_CASE("a head determines whether the connection persists") {
  const struct {
    std::string_view why;
    std::string_view bytes;
    bool keep_alive, expect_continue;
  } cases[] = {
      {"9.3: 1.1 persists", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", true, false},
      {"9.3: 1.1 ends on close", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false, false},
      {"9110 7.6.1: case-insensitive", "GET / HTTP/1.1\r\nHost: a\r\nCONNECTION: CLOSE\r\n\r\n", false, false},
      {"9110 7.6.1: in a list", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x ,, close,\r\n\r\n", false, false},
      {"9110 5.3: over several fields", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\nConnection: close\r\n\r\n",
       false, false},
      {"close as a part of a word", "GET / HTTP/1.1\r\nHost: a\r\nConnection: xclose, closed\r\n\r\n", true, false},
      {"9.3: 1.0 ends", "GET / HTTP/1.0\r\n\r\n", false, false},
      {"9.3: 1.0 persists on keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, false},
      {"9.3: close overrides keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false, false},
      {"9110 10.1.1: an expectation with a body",
       "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", true, true},
      {"9110 10.1.1: ignored without a body", "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", true, false},
      {"9110 10.1.1: ignored in 1.0", "PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", false,
       false},
  };
  for (const auto& want : cases) {
    CAPTURE(want.why);
    const DecodedStream stream = decode_stream(want.bytes);
    REQUIRE(stream.messages.size() == 1);
    CHECK(stream.messages[0].keep_alive == want.keep_alive);
    CHECK(stream.messages[0].expect_continue == want.expect_continue);
    CHECK(stream == decode_byte_by_byte(want.bytes));
  }
}

TEST_CASE("a head can be read wherever its bytes have moved") {
  const DecodedStream stream = decode_byte_by_byte(
      "\r\nPUT /a%20b?c=d HTTP/1.1\r\nHost: a.example:80\r\nX-One:  1 \r\nx-two:\r\nX-One: \t3\r\nContent-Length: "
      "2\r\n\r\nhi");
  REQUIRE(stream.messages.size() == 1);
  const DecodedMessage& message = stream.messages[0];
  CHECK(message.method == "PUT");
  CHECK(message.target == "/a%20b?c=d");
  CHECK(message.path == "/a%20b");
  CHECK(message.query == "c=d");
  CHECK(message.host == "a.example:80");
  CHECK(message.body == "hi");
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"Host", "a.example:80"}, {"X-One", "1"}, {"x-two", ""}, {"X-One", "3"}, {"Content-Length", "2"}};
  CHECK(message.fields == fields);
}

TEST_CASE("the authority of an absolute target takes precedence over Host, RFC 9112 section 3.2.2") {
  const DecodedStream stream = decode_stream("GET http://a.example HTTP/1.1\r\nHost: b.example\r\n\r\n");
  REQUIRE(stream.messages.size() == 1);
  CHECK(stream.messages[0].host == "a.example");
  CHECK(stream.messages[0].path == "/");
  CHECK(stream.messages[0].target == "http://a.example");
}

TEST_CASE("a request has started with its first byte, and not on an idle connection") {
  const Limits limits;
  RequestDecoder decoder(limits);
  CHECK(decoder.decode_head("\r\n") == HeadState::need_more);
  CHECK_FALSE(decoder.started());
  CHECK(decoder.decode_head("\r\nG") == HeadState::need_more);
  CHECK(decoder.started());
  decoder.reset();
  CHECK_FALSE(decoder.started());
}

TEST_CASE("a complete head stays complete") {
  const Limits limits;
  RequestDecoder decoder(limits);
  constexpr std::string_view bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
  CHECK(decoder.decode_head(bytes) == HeadState::complete);
  CHECK(decoder.decode_head(bytes) == HeadState::complete);
  CHECK(decoder.head_bytes() == bytes.size() - 3);
  CHECK_FALSE(decoder.has_body());
  CHECK(decoder.decode_body("GET") == BodyStep{0, "", true});
}

TEST_SUITE_END();
}  // namespace volt::http::http1
