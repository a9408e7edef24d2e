// SPDX-License-Identifier: MIT

#include "tests/simulation/request_cases.h"

#include <array>
#include <cstdint>

#include "tests/simulation/service.h"
#include "tests/simulation/trace.h"

namespace volt::simulation {
namespace {

using http::Method;

std::string get(std::string_view method, std::string_view path, std::string_view fields = {}) {
  std::string bytes(method);
  bytes.append(" ").append(path).append(" HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n");
  return bytes;
}

std::string with_body(std::string_view path, std::string_view type, std::string_view body) {
  std::string fields("Content-Type: ");
  fields.append(type).append("\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n");
  return get("POST", path, fields).append(body);
}

std::string in_chunks(Chance& chance, std::string_view body) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string bytes;
  while (!body.empty()) {
    const std::string_view chunk = body.substr(0, 1 + chance.below(5'000));
    body.remove_prefix(chunk.size());
    std::string size;
    for (std::size_t left = chunk.size(); left != 0; left /= 16) size.insert(size.begin(), kHex[left % 16]);
    bytes.append(size).append("\r\n").append(chunk).append("\r\n");
  }
  return bytes.append("0\r\n\r\n");
}

RequestCase plain(Chance&) { return plain_request_case(); }
RequestCase head(Chance&) { return {.method = Method::head, .bytes = get("HEAD", "/plain"), .body = ""}; }
RequestCase missing(Chance&) { return {.bytes = get("GET", "/none"), .status = 404, .compares_body = false}; }
RequestCase not_allowed(Chance&) { return {.bytes = get("DELETE", "/plain"), .status = 405, .compares_body = false}; }
RequestCase thrown(Chance&) { return {.bytes = get("GET", "/throw"), .status = 500, .compares_body = false}; }
RequestCase raced(Chance&) { return {.bytes = get("GET", "/race"), .body = "0"}; }
RequestCase packed(Chance&) {
  return {.bytes = get("GET", "/packed/big", "Accept-Encoding: gzip\r\n"), .compares_body = false};
}

RequestCase file(Chance&) { return {.bytes = get("GET", "/file"), .body = pattern(kFileBytes)}; }

RequestCase json(Chance& chance) {
  const std::uint64_t number = chance.below(1'000'000);
  const std::string text = pattern(chance.below(12'000));
  const auto order = [&](std::uint64_t n) {
    return R"({"number":)" + std::to_string(n) + R"(,"text":")" + text + "\"}";
  };
  return {.method = Method::post,
          .bytes = with_body("/echo", "application/json", order(number)),
          .body = order(number + 1)};
}

RequestCase bad_json(Chance&) {
  return {.method = Method::post,
          .bytes = with_body("/echo", "application/json", R"({"number":"x"})"),
          .status = 422,
          .compares_body = false};
}

RequestCase streamed(Chance& chance) {
  const std::size_t size = chance.below(120'000);
  return {.bytes = get("GET", "/stream/" + std::to_string(size)), .body = pattern(size)};
}

RequestCase uploaded(Chance& chance) {
  const std::string body = pattern(chance.below(90'000));
  const bool chunked = chance.hits(0.6);
  const std::string bytes = chunked ? get("POST", "/upload", "Transfer-Encoding: chunked\r\n") + in_chunks(chance, body)
                                    : with_body("/upload", "text/x", body);
  return {.method = Method::post,
          .bytes = bytes,
          .body = std::to_string(body.size()) + " " + std::to_string(hash_of(body))};
}

RequestCase form(Chance& chance) {
  const std::string text = pattern(chance.below(6'000));
  const std::string body = "--edge\r\nContent-Disposition: form-data; name=\"one\"\r\n\r\n" + text +
                           "\r\n--edge\r\nContent-Disposition: form-data; name=\"two\"\r\n\r\n2\r\n--edge--\r\n";
  return {.method = Method::post,
          .bytes = with_body("/form", "multipart/form-data; boundary=edge", body),
          .body = "one=" + text + ";two=2;"};
}

RequestCase timed(Chance& chance) {
  const std::uint64_t millis = chance.below(2'000);
  return {.bytes = get("GET", "/timed/" + std::to_string(millis)), .status_or = 503, .body = "slept"};
}

RequestCase said(Chance& chance) {
  return {.method = Method::post,
          .bytes = with_body("/say", "text/plain", pattern(chance.below(2'000))),
          .status = 204,
          .status_or = 200,
          .compares_body = false};
}

RequestCase kept(Chance& chance, std::string_view how, Nanoseconds least, Nanoseconds most) {
  const std::int64_t micros = chance.between(least / std::chrono::microseconds(1), most / std::chrono::microseconds(1));
  return {.bytes = get("GET", std::string("/keep/").append(how).append("/") + std::to_string(micros)), .body = "kept"};
}

constexpr std::array kKinds = {plain, head,     missing,  not_allowed, thrown, raced, packed, file,
                               json,  bad_json, streamed, uploaded,    form,   timed, said};

}  // namespace

RequestCase plain_request_case() { return {.bytes = get("GET", "/plain"), .body = "plain"}; }

RequestCase some_request_case(Chance& chance) { return chance.one_of(kKinds)(chance); }

RequestCase keeping_request_case(Chance& chance, Nanoseconds least, Nanoseconds most) {
  return kept(chance, chance.one_of(kKeepingHandlers), least, most);
}
RequestCase heavy_request_case(Chance& chance, Nanoseconds least, Nanoseconds most) {
  return kept(chance, "compute", least, most);
}
RequestCase light_request_case(Chance& chance, Nanoseconds least, Nanoseconds most) {
  return kept(chance, "light", least, most);
}

std::vector<RequestCase> all_request_cases(Chance& chance) {
  std::vector<RequestCase> questions;
  for (const auto kind : kKinds) questions.push_back(kind(chance));
  return questions;
}

RequestCase some_nonsense(Chance& chance) {
  constexpr std::string_view kNonsense[] = {
      "\r\n\r\nGET\r\n\r\n",
      "GET /plain HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
      "POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "GET /plain HTTP/9.9\r\n\r\n",
      "\x16\x03\x01\x02\x05 a TLS hello\r\n\r\n",
  };
  return {.bytes = std::string(chance.one_of(kNonsense)), .status = 400, .compares_body = false};
}

RequestCase request_case_for_events() { return {.bytes = get("GET", "/events"), .compares_body = false}; }

RequestCase request_case_for_websocket() {
  constexpr std::string_view kFields =
      "Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  return {.bytes = get("GET", "/ws", kFields), .status = 101, .compares_body = false};
}

std::string websocket_frame(unsigned opcode, std::string_view payload) {
  constexpr std::array<unsigned char, 4> kMask = {1, 2, 3, 4};
  std::string frame(1, static_cast<char>(0x80 | opcode));
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 0xff);
  }
  frame.append(kMask.begin(), kMask.end());
  for (std::size_t i = 0; i != payload.size(); ++i) {
    frame += static_cast<char>(static_cast<unsigned char>(payload[i]) ^ kMask[i % 4]);
  }
  return frame;
}

}  // namespace volt::simulation
