// SPDX-License-Identifier: MIT

// http/http1: decodes request heads and bodies, and encodes responses.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <string_view>

#include "http/http1/request_decoder.h"
#include "http/message/http_date.h"
#include "http/server/response_encoder.h"

namespace {

using namespace volt::http;
using http1::RequestDecoder;

// A request as wrk sends it.
constexpr std::string_view kSmall = "GET /plaintext HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";

constexpr std::string_view kBrowser =
    "GET /articles/2024/11?page=2&sort=new HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n"
    "Accept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Connection: keep-alive\r\n"
    "Cookie: session=4f2b8c1d9e7a6f5b3c2d1e0f9a8b7c6d; theme=dark; consent=1\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-Site: none\r\n"
    "\r\n";

void decode(benchmark::State& state, std::string_view bytes) {
  const http1::Limits limits;
  RequestDecoder decoder(limits);
  for (auto _ : state) {
    const auto complete = decoder.decode_head(bytes);
    if (!complete || *complete != http1::HeadState::complete) return state.SkipWithError("not decoded");
    benchmark::DoNotOptimize(decoder.head(bytes));
    benchmark::DoNotOptimize(decoder.decode_body({}));
    decoder.reset();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK_CAPTURE(decode, small, kSmall);
BENCHMARK_CAPTURE(decode, browser, kBrowser);

void decode_byte_by_byte(benchmark::State& state) {
  const http1::Limits limits;
  RequestDecoder decoder(limits);
  for (auto _ : state) {
    for (std::size_t size = 1; size <= kSmall.size(); ++size) {
      benchmark::DoNotOptimize(decoder.decode_head(kSmall.substr(0, size)));
    }
    decoder.reset();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kSmall.size()));
}
BENCHMARK(decode_byte_by_byte);

void decode_chunked_body(benchmark::State& state) {
  const http1::Limits limits;
  std::string body;
  for (int i = 0; i != 16; ++i) body += "400\r\n" + std::string(1024, 'x') + "\r\n";
  body += "0\r\n\r\n";
  http1::ChunkedBody chunked;
  for (auto _ : state) {
    chunked.reset();
    std::string_view left = body;
    for (bool done = false; !done;) {
      const auto step = chunked.decode(left, limits, limits.body_bytes_max);
      if (!step) return state.SkipWithError("not decoded");
      left.remove_prefix(step->consumed);
      done = step->done;
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
}
BENCHMARK(decode_chunked_body);

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

void encode(benchmark::State& state, const Response& response) {
  std::string out;
  const server::ResponseEncoderOptions encoder_options{.date = kDate};
  for (auto _ : state) {
    out.clear();
    server::encode_response(response, encoder_options, out);
    benchmark::DoNotOptimize(out.data());
  }
}
void encode_plaintext(benchmark::State& state) { encode(state, Response::fixed("Hello, World!")); }
BENCHMARK(encode_plaintext);

void encode_with_fields(benchmark::State& state) {
  Response response = Response::json(std::string(1024, '1'));
  response.header("Cache-Control", "no-store").header("ETag", "\"5f3c\"").header("X-Request-Id", "7b1e");
  encode(state, response);
}
BENCHMARK(encode_with_fields);

// Makes the response, as a handler does, and encodes it.
void make_and_encode_plaintext(benchmark::State& state) {
  std::string out;
  const server::ResponseEncoderOptions encoder_options{.date = kDate};
  for (auto _ : state) {
    out.clear();
    const Response response = Response::fixed("Hello, World!");
    server::encode_response(response, encoder_options, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(make_and_encode_plaintext);

void http_date(benchmark::State& state) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  for (auto _ : state) benchmark::DoNotOptimize(message::HttpDate(now));
}
BENCHMARK(http_date);

}  // namespace
