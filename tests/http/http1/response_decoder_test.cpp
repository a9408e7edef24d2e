// SPDX-License-Identifier: MIT

#include "http/http1/response_decoder.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/http/http1/decode_responses.h"

namespace volt::http::http1 {
namespace {

using namespace std::string_view_literals;
using Kind = ResponseFraming::Kind;
using enum ResponseError;

// Returns the result, which must not depend on how the bytes are split.
DecodedResponses decode_every_way(std::string_view bytes, std::vector<Method> methods = {Method::get},
                                  const ResponseLimits& limits = {}) {
  DecodedResponses whole = decode_responses(bytes, methods, {}, limits);
  CHECK(decode_responses_byte_by_byte(bytes, methods, limits) == whole);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    if (decode_responses(bytes, methods, {cut}, limits) == whole) continue;
    CAPTURE(cut);
    CHECK(decode_responses(bytes, methods, {cut}, limits) == whole);
  }
  return whole;
}

struct Verdict {
  std::string why;
  std::string bytes;
  std::optional<ResponseError> error;  // nullopt: a response was decoded
};

template <std::size_t count>
void check_verdicts(const Verdict (&verdicts)[count], const ResponseLimits& limits = {}) {
  for (const Verdict& verdict : verdicts) {
    CAPTURE(verdict.why);
    const DecodedResponses decoded = decode_every_way(verdict.bytes, {Method::get}, limits);
    CHECK(decoded.error == verdict.error);
    CHECK(decoded.responses.empty() == verdict.error.has_value());
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("http/http1/response_decoder");

TEST_CASE("the status line is HTTP/1.x SP 3DIGIT SP [reason], RFC 9112 section 4") {
  const Verdict verdicts[] = {
      {"4: a complete status line", "HTTP/1.1 200 OK\r\n\r\n", std::nullopt},
      {"4: an empty reason", "HTTP/1.1 200 \r\n\r\n", std::nullopt},
      {"4: a reason of several words and a tab", "HTTP/1.1 404 Not\tFound at all\r\n\r\n", std::nullopt},
      {"4: obs-text in the reason", "HTTP/1.1 200 \xc3\xa9\r\n\r\n", std::nullopt},
      {"4: no space after the status", "HTTP/1.1 200\r\n\r\n", bad_status_line},
      {"4: two spaces", "HTTP/1.1  200 OK\r\n\r\n", bad_status_line},
      {"4: two digits", "HTTP/1.1 20 OK\r\n\r\n", bad_status_line},
      {"4: four digits", "HTTP/1.1 2000 OK\r\n\r\n", bad_status_line},
      {"4: letters", "HTTP/1.1 2OO OK\r\n\r\n", bad_status_line},
      {"9110 15: status class 0 is invalid", "HTTP/1.1 099 OK\r\n\r\n", bad_status_line},
      {"9110 15: status class 6 is invalid", "HTTP/1.1 600 OK\r\n\r\n", bad_status_line},
      {"9110 15: an unnamed code", "HTTP/1.1 599 Odd\r\n\r\n", std::nullopt},
      {"2.3: HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n", std::nullopt},
      {"2.3: HTTP/1.7 is read as 1.1", "HTTP/1.7 200 OK\r\n\r\n", std::nullopt},
      {"2.3: HTTP/2.0", "HTTP/2.0 200 OK\r\n\r\n", unsupported_version},
      {"2.3: HTTP/0.9", "HTTP/0.9 200 OK\r\n\r\n", unsupported_version},
      {"2.3: two digits", "HTTP/11 200 OK\r\n\r\n", bad_status_line},
      {"2.3: lower case", "http/1.1 200 OK\r\n\r\n", bad_status_line},
      {"another protocol", "ICY 200 OK\r\n\r\n", bad_status_line},
      {"HTTP/0.9: a bare body", "<html>", bad_status_line},
      {"2.2: an empty line before the status line", "\r\nHTTP/1.1 200 OK\r\n\r\n", bad_status_line},
      {"2.2: bare LF", "HTTP/1.1 200 OK\n\n", bad_status_line},
      {"2.2: bare CR", "HTTP/1.1 200 OK\rA: b\r\n\r\n", bad_status_line},
      {"4: NUL in the reason", std::string("HTTP/1.1 200 O\0K\r\n\r\n"sv), bad_status_line},
      {"4: a control character in the reason", "HTTP/1.1 200 O\x1bK\r\n\r\n", bad_status_line},
      {"the line is cut off", "HTTP/1.1 20", cut_off},
  };
  check_verdicts(verdicts);
}

TEST_CASE("fields follow RFC 9112 section 5") {
  const Verdict verdicts[] = {
      {"5: a field", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", std::nullopt},
      {"5: an empty value", "HTTP/1.1 200 OK\r\nA:\r\n\r\n", std::nullopt},
      {"5.1: space before the colon", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", bad_field},
      {"5.2: a folded line", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", bad_field},
      {"5.1: no name", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", bad_field},
      {"9110 5.5: NUL", std::string("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n"sv), bad_field},
      {"the head is cut off", "HTTP/1.1 200 OK\r\nA: b\r\n", cut_off},
  };
  check_verdicts(verdicts);

  const auto decoded = decode_every_way("HTTP/1.1 201 Made here\r\nA: b\r\nSet-Cookie:  c=d \r\nset-cookie: e\r\n\r\n");
  REQUIRE(decoded.responses.size() == 1);
  const DecodedResponse& response = decoded.responses[0];
  CHECK(response.status == 201);
  CHECK(response.reason == "Made here");
  CHECK(response.fields ==
        std::vector<std::pair<std::string, std::string>>{{"A", "b"}, {"Set-Cookie", "c=d"}, {"set-cookie", "e"}});
}

TEST_CASE("the body ends as RFC 9112 section 6.3 defines") {
  const struct {
    std::string why;
    Method method;
    std::string bytes;
    ResponseFraming framing;
    std::string body;
    bool keep_alive;
  } cases[] = {
      {"rule 1: HEAD, whatever the length", Method::head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", {}, "", true},
      {"rule 1: HEAD, chunked", Method::head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", {}, "", true},
      {"rule 1: HEAD without framing fields", Method::head, "HTTP/1.1 200 OK\r\n\r\n", {}, "", true},
      {"rule 1: 204", Method::get, "HTTP/1.1 204 No Content\r\n\r\n", {}, "", true},
      {"rule 1: 304 with a length", Method::get, "HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n", {}, "", true},
      {"rule 1: 101 ends HTTP", Method::get, "HTTP/1.1 101 S\r\nUpgrade: a\r\n\r\n", {}, "", false},
      {"rule 2: CONNECT", Method::connect, "HTTP/1.1 200 OK\r\n\r\n", {}, "", true},
      {"rule 2: CONNECT refused",
       Method::connect,
       "HTTP/1.1 400 No\r\nContent-Length: 1\r\n\r\na",
       {Kind::sized, 1},
       "a",
       true},
      {"rule 4: chunked",
       Method::get,
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
       {Kind::chunked},
       "abcde",
       true},
      {"rule 4: chunked and empty",
       Method::get,
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       {Kind::chunked},
       "",
       true},
      {"rule 6: a sized body",
       Method::get,
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde",
       {Kind::sized, 5},
       "abcde",
       true},
      {"rule 6: zero", Method::get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {Kind::sized, 0}, "", true},
      {"rule 8: until the close", Method::get, "HTTP/1.1 200 OK\r\n\r\nabcde", {Kind::until_close}, "abcde", false},
      {"rule 8: empty until the close", Method::get, "HTTP/1.1 200 OK\r\n\r\n", {Kind::until_close}, "", false},
      {"9.3: close",
       Method::get,
       "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
       {Kind::sized, 1},
       "a",
       false},
      {"9.3: HTTP/1.0 closes",
       Method::get,
       "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
       {Kind::sized, 1},
       "a",
       false},
      {"9.3: unless keep-alive is requested",
       Method::get,
       "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\na",
       {Kind::sized, 1},
       "a",
       true},
  };
  for (const auto& one : cases) {
    CAPTURE(one.why);
    const DecodedResponses decoded = decode_every_way(one.bytes, {one.method});
    REQUIRE(decoded.responses.size() == 1);
    CHECK_FALSE(decoded.error.has_value());
    CHECK(decoded.responses[0].framing == one.framing);
    CHECK(decoded.responses[0].body == one.body);
    CHECK(decoded.responses[0].keep_alive == one.keep_alive);
    CHECK(decoded.left_bytes == 0);
  }
}

TEST_CASE("a response whose end two recipients could read differently is refused") {
  const Verdict verdicts[] = {
      {"rule 3: both fields", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
       conflicting_framing},
      {"rule 5: a bad length", "HTTP/1.1 200 OK\r\nContent-Length: 1a\r\n\r\n", bad_length},
      {"rule 5: a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", bad_length},
      {"rule 5: two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", bad_length},
      {"rule 5: a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na", bad_length},
      {"rule 5: 2^64", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n", bad_length},
      {"rule 4: gzip", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", unsupported_transfer_coding},
      {"rule 4: an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: cow\r\n\r\n", bad_transfer_coding},
      {"rule 4: two fields", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       bad_transfer_coding},
      {"6.1: chunked in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", bad_transfer_coding},
      {"11.2: a disguised field", "HTTP/1.1 200 OK\r\nTransfer_Encoding: chunked\r\n\r\n", conflicting_framing},
      {"7.1: no size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", bad_chunk},
      {"7.1: data too long", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", bad_chunk},
      {"8: a body cut off", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd", cut_off},
      {"8: chunks cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", cut_off},
      {"8: the last chunk cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", cut_off},
      {"8: trailers cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n", cut_off},
  };
  check_verdicts(verdicts);
}

TEST_CASE("interim responses come before the final one, RFC 9110 section 15.2") {
  const auto decoded = decode_every_way(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: "
      "1\r\n\r\na");
  REQUIRE(decoded.responses.size() == 1);
  CHECK(decoded.responses[0].interim == std::vector<std::uint16_t>{100, 103});
  CHECK(decoded.responses[0].fields.size() == 1);
  CHECK(decoded.responses[0].body == "a");

  const Verdict verdicts[] = {
      {"an interim response is not a final response", "HTTP/1.1 100 Continue\r\n\r\n", cut_off},
      {"two interim responses are within the limit", repeated("HTTP/1.1 102 P\r\n\r\n", 2) + "HTTP/1.1 200 OK\r\n\r\n",
       std::nullopt},
      {"three interim responses are too many", repeated("HTTP/1.1 102 P\r\n\r\n", 3) + "HTTP/1.1 200 OK\r\n\r\n",
       too_many_interim},
  };
  check_verdicts(verdicts, {.interim_max = 2});
}

TEST_CASE("responses follow each other, and bytes after the last one are not consumed") {
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nc\r\n0\r\nSum: 7\r\n\r\n"
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\nHTTP/1.1 no more";
  const auto decoded = decode_every_way(bytes, {Method::get, Method::head, Method::get});
  REQUIRE(decoded.responses.size() == 4);
  CHECK(decoded.responses[0].body == "ab");
  CHECK(decoded.responses[1].body.empty());
  CHECK(decoded.responses[2].body == "c");
  CHECK(decoded.responses[2].trailers == std::vector<std::pair<std::string, std::string>>{{"Sum", "7"}});
  CHECK(decoded.responses[3].status == 101);
  CHECK(decoded.left_bytes == "HTTP/1.1 no more"sv.size());
}

TEST_CASE("each limit has its error, one byte beyond it") {
  const ResponseLimits limits{.head_bytes_max = 64,
                              .fields_max = 2,
                              .body_bytes_max = 4,
                              .chunk_extension_bytes_max = 4,
                              .trailer_bytes_max = 16,
                              .trailer_fields_max = 1};
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string filled = "HTTP/1.1 200 OK\r\nA: ";  // 20 bytes; 4 more bytes end the head
  const Verdict verdicts[] = {
      {"a head of 64 bytes", filled + std::string(40, 'a') + "\r\n\r\n", std::nullopt},
      {"a head of 65 bytes", filled + std::string(41, 'a') + "\r\n\r\n", head_too_large},
      {"a line without an end", "HTTP/1.1 200 " + std::string(100, 'a'), head_too_large},
      {"two fields", "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n", std::nullopt},
      {"three fields", "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\nE: f\r\n\r\n", too_many_fields},
      {"a length of 4", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd", std::nullopt},
      {"a length of 5", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", body_too_large},
      {"chunks of 4 bytes", chunked + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", std::nullopt},
      {"chunks of 5 bytes", chunked + "2\r\nab\r\n3\r\n", body_too_large},
      {"4 bytes until the close", "HTTP/1.1 200 OK\r\n\r\nabcd", std::nullopt},
      {"5 bytes until the close", "HTTP/1.1 200 OK\r\n\r\nabcde", body_too_large},
      {"a long chunk extension", chunked + "1;abcd\r\na\r\n0\r\n\r\n", bad_chunk},
      {"two trailers", chunked + "0\r\nA: b\r\nC: d\r\n\r\n", bad_trailer},
      {"long trailers", chunked + "0\r\nA: bbbbbbbbbbbbbbbb\r\n\r\n", bad_trailer},
      {"9110 6.5.1: a trailer that affects framing", chunked + "0\r\nTE: a\r\n\r\n", bad_trailer},
  };
  for (const Verdict& verdict : verdicts) {
    CAPTURE(verdict.why);
    CHECK(decode_every_way(verdict.bytes, {Method::get}, limits).error == verdict.error);
  }
}

TEST_CASE("more fields than the decoder's capacity are too many, whatever the limit is") {
  std::string head = "HTTP/1.1 200 OK\r\n" + repeated("A: b\r\n", kFieldsCapacity);
  CHECK_FALSE(decode_responses(head + "\r\n", {Method::get}, {}, {.fields_max = 1000}).error);
  CHECK(decode_responses(head + "A: b\r\n\r\n", {Method::get}, {}, {.fields_max = 1000}).error == too_many_fields);
}

TEST_CASE("each error has a description of its own") {
  std::set<std::string_view> descriptions;
  for (const ResponseError error : {bad_status_line, unsupported_version, bad_field, head_too_large, too_many_fields,
                                    too_many_interim, bad_length, bad_transfer_coding, unsupported_transfer_coding,
                                    conflicting_framing, bad_chunk, bad_trailer, body_too_large, cut_off}) {
    CHECK_FALSE(describe(error).empty());
    CHECK_FALSE(describe(error).ends_with('.'));
    CHECK(descriptions.insert(describe(error)).second);
  }
}

TEST_SUITE_END();

}  // namespace volt::http::http1
