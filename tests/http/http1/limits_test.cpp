// SPDX-License-Identifier: MIT

#include "http/http1/limits.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/http/http1/decode_stream.h"

namespace volt::http::http1 {
TEST_SUITE_BEGIN("http/http1/limits");

namespace {

constexpr std::string_view kChunkedHead = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

int status_of(const std::string& bytes, const Limits& limits = {}) {
  const DecodedStream whole = decode_stream(bytes, {}, limits);
  for (const std::size_t cut : {bytes.size() / 3, bytes.size() - 1, bytes.size() - 2}) {
    CHECK(decode_stream(bytes, {cut}, limits) == whole);
  }
  if (bytes.size() < 4096) CHECK(decode_byte_by_byte(bytes, limits) == whole);
  return whole.status();
}

std::string head_of(std::size_t bytes) {
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  return head.append(bytes - head.size() - 4, 'x').append("\r\n\r\n");
}

std::string request_line_of(std::size_t bytes) {
  std::string line = "GET /";
  return line.append(bytes - line.size() - 9, 'x').append(" HTTP/1.1\r\nHost: a\r\n\r\n");
}

std::string fields(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += "X: 1\r\n";
  return lines;
}

std::string chunk_with_extension(std::size_t bytes) {
  return std::string("1;").append(bytes - 1, 'x').append("\r\nx\r\n");
}

}  // namespace

TEST_CASE("each limit admits its bound and refuses one more") {
  const Limits limits;
  const std::string body(limits.body_bytes_max, 'x');
  const auto sized = [&](std::size_t bytes) {
    return "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" + body;
  };
  const auto chunked = [](const std::string& text) { return std::string(kChunkedHead).append(text); };
  const auto trailer_of = [](std::size_t bytes) { return "X: " + std::string(bytes - 7, 'x') + "\r\n\r\n"; };
  const struct {
    std::string_view why;
    std::string at_bound;
    std::string beyond;
    int status;
  } cases[] = {
      {"9112 3: request line", request_line_of(8192), request_line_of(8193), 414},
      {"6585 5: head", head_of(32768), head_of(32769), 431},
      {"6585 5: fields", "GET / HTTP/1.1\r\nHost: a\r\n" + fields(99) + "\r\n",
       "GET / HTTP/1.1\r\nHost: a\r\n" + fields(100) + "\r\n", 431},
      {"9110 15.5.14: length", sized(1048576), sized(1048577), 413},
      {"9110 15.5.14: chunk", chunked("100000\r\n" + body + "\r\n0\r\n\r\n"), chunked("100001\r\n"), 413},
      {"9110 15.5.14: chunks",
       chunked("80000\r\n" + body.substr(0, 0x80000) + "\r\n80000\r\n" + body.substr(0, 0x80000) + "\r\n0\r\n\r\n"),
       chunked("80000\r\n" + body.substr(0, 0x80000) + "\r\n80001\r\n"), 413},
      {"9112 7.1.1: extension", chunked(chunk_with_extension(256) + "0\r\n\r\n"),
       chunked(chunk_with_extension(257) + "0\r\n\r\n"), 400},
      {"9112 7.1.2: trailers", chunked("0\r\n" + trailer_of(8192)), chunked("0\r\n" + trailer_of(8193)), 400},
      {"9112 7.1.2: trailer fields", chunked("0\r\n" + fields(32) + "\r\n"), chunked("0\r\n" + fields(33) + "\r\n"),
       400},
      {"9112 2.2: empty lines", "\r\n\r\n\r\n\r\n" + head_of(100), "\r\n\r\n\r\n\r\n\r\n" + head_of(100), 400},
  };
  for (const auto& [why, at_bound, beyond, status] : cases) {
    CAPTURE(why);
    CHECK(status_of(at_bound) == 200);
    CHECK(status_of(beyond) == status);
  }
}

TEST_CASE("a limit is applied before the remaining bytes arrive") {
  CHECK(status_of(std::string("GET /").append(8187, 'x')) == 414);
  CHECK(status_of(std::string("GET /").append(8186, 'x')) == 0);
  CHECK(status_of(std::string(8192, 'X')) == 501);  // 9112 3: a method longer than all known ones
  CHECK(status_of(head_of(32769).substr(0, 32768)) == 431);
  CHECK(status_of(head_of(32769).substr(0, 32767)) == 0);
  CHECK(status_of("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n") == 413);
  CHECK(status_of("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1048577\r\n\r\n") == 413);
}

TEST_CASE("chunk extensions may not outweigh the data") {
  std::string flood(kChunkedHead);
  for (int chunk = 0; chunk < 5; ++chunk) flood += chunk_with_extension(256);
  CHECK(status_of(flood) == 400);

  std::string allowed(kChunkedHead);  // 16 bytes of extension per data byte: never refused
  for (int chunk = 0; chunk < 200; ++chunk) allowed += chunk_with_extension(16);
  CHECK(status_of(allowed + "0\r\n\r\n") == 200);

  std::string beyond(kChunkedHead);
  for (int chunk = 0; chunk < 1100; ++chunk) beyond += chunk_with_extension(17);
  CHECK(status_of(beyond) == 400);

  CHECK(status_of(allowed, {.extension_bytes_per_data_byte_max = 0}) == 400);

  std::string signed_chunks(kChunkedHead);  // as sent by object stores: long extensions, long chunks
  for (int chunk = 0; chunk < 20; ++chunk) {
    signed_chunks.append("1000;chunk-signature=").append(64, 'a').append("\r\n").append(4096, 'x').append("\r\n");
  }
  CHECK(status_of(signed_chunks + "0;chunk-signature=" + std::string(64, 'a') + "\r\n\r\n") == 200);
}

TEST_CASE("the server can choose the limits") {
  CHECK(status_of(request_line_of(40), {.request_line_bytes_max = 40}) == 200);
  CHECK(status_of(request_line_of(41), {.request_line_bytes_max = 40}) == 414);
  CHECK(status_of(request_line_of(41), {.head_bytes_max = 40}) == 431);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n", {.fields_max = 1}) == 200);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n", {.fields_max = 0}) == 431);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\n" + fields(127) + "\r\n", {.fields_max = 1000}) == 200);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\n" + fields(128) + "\r\n", {.fields_max = 1000}) == 431);
  CHECK(status_of(std::string(kChunkedHead) + "0\r\nX: 1\r\n\r\n", {.trailer_fields_max = 0}) == 400);
  CHECK(status_of(std::string(kChunkedHead) + "1\r\nx\r\n", {.body_bytes_max = 0}) == 413);
  CHECK(status_of(std::string(kChunkedHead) + "0\r\n\r\n", {.body_bytes_max = 0}) == 200);
  CHECK(status_of("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", {.leading_empty_lines_max = 0}) == 400);
}

TEST_SUITE_END();
}  // namespace volt::http::http1
