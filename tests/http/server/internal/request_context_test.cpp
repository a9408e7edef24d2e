// SPDX-License-Identifier: MIT

#include "http/server/internal/request_context.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace volt::http::server {
namespace {

struct Seen {
  std::string method, path, host, body;
  bool operator==(const Seen&) const = default;
};

void receive(RequestContext& request_context, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto room = request_context.room();
    REQUIRE_FALSE(room.empty());
    const std::size_t count = std::min(room.size(), bytes.size());
    std::copy_n(bytes.data(), count, reinterpret_cast<char*>(room.data()));
    request_context.add_received(count);
    bytes.remove_prefix(count);
  }
}

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A connection in miniature: passes pieces that end at `cuts` to a RequestContext, and returns the requests that they
// complete.
std::vector<Seen> converse(std::string_view bytes, std::vector<std::size_t> cuts) {
  const http1::Limits limits;
  RequestContext request_context(limits);
  std::vector<Seen> requests;
  bool in_body = false;
  std::size_t begin = 0;
  cuts.push_back(bytes.size());
  for (const std::size_t end : cuts) {
    receive(request_context, bytes.substr(begin, end - begin));
    begin = end;
    for (;;) {
      if (!in_body) {
        const auto head = request_context.decode_head();
        REQUIRE(head);
        if (*head == http1::HeadState::need_more) break;
        request_context.open_request();
        in_body = true;
      }
      const auto whole = request_context.gather_body();
      REQUIRE(whole);
      if (!*whole) break;
      const Request& request = request_context.request();
      requests.push_back({std::string(to_string(request.method())), std::string(request.path()),
                          std::string(request.host()), std::string(request.body())});
      request_context.finish();
      in_body = false;
    }
  }
  CHECK(request_context.idle());
  return requests;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/request_context");

TEST_CASE("requests are decoded alike, whether cut at every byte or at any two") {
  const std::string bytes =
      "\r\nPOST /sized HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab\r\nc"
      "POST /chunked HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n3;x=y\r\nfgh\r\n0\r\nT: "
      "u\r\n\r\n"
      "GET /last HTTP/1.1\r\nHost: c\r\n\r\n";
  const std::vector<Seen> want = {
      {"POST", "/sized", "a", "ab\r\nc"}, {"POST", "/chunked", "b", "defgh"}, {"GET", "/last", "c", ""}};
  CHECK(converse(bytes, {}) == want);
  for (std::size_t first = 1; first < bytes.size(); ++first) {
    CAPTURE(first);
    REQUIRE(converse(bytes, {first}) == want);
    for (std::size_t second = first + 1; second < bytes.size(); second += 7) {
      REQUIRE(converse(bytes, {first, second}) == want);
    }
  }
  std::vector<std::size_t> each(bytes.size() - 1);
  for (std::size_t i = 0; i != each.size(); ++i) each[i] = i + 1;
  CHECK(converse(bytes, each) == want);
}

TEST_CASE("a body in one piece is not copied, one in several is gathered") {
  const http1::Limits limits;
  RequestContext request_context(limits);
  receive(request_context, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  REQUIRE(request_context.decode_head());
  const Request& request = request_context.open_request();
  CHECK(request.body().empty());
  CHECK(request_context.gather_body() == true);
  CHECK(request_context.body_bytes() == 3);
  CHECK(request.body() == "abc");
  CHECK(request.body().data() > request.target().data());  // in the buffer, after the head
  CHECK(request.body().data() < request.target().data() + 100);
}

TEST_CASE("memory that is reserved for the rest of a body is reported once") {
  constexpr std::size_t kBodyBytes = 1024 * 1024;
  const http1::Limits limits;
  RequestContext request_context(limits);
  const std::string piece(4096, 'x');
  receive(request_context, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kBodyBytes) + "\r\n\r\n");
  REQUIRE(request_context.decode_head());
  request_context.open_request();
  std::size_t reserved = 0;
  for (std::size_t received = piece.size(); received <= kBodyBytes; received += piece.size()) {
    receive(request_context, piece);
    REQUIRE(request_context.gather_body() == (received == kBodyBytes));
    const std::size_t now = request_context.take_reserved_bytes();
    CHECK(request_context.take_reserved_bytes() == 0);
    if (now != 0) CHECK(now == kBodyBytes - received);
    reserved += now;
  }
  CHECK(reserved > kBodyBytes / 2);
  CHECK(request_context.request().body().size() == kBodyBytes);
}

TEST_CASE("pipelined requests of every size pass through one buffer") {
  for (const std::size_t pad : {0U, 1U, 3000U, 4000U, 4096U, 7000U, 8100U, 9000U, 20'000U}) {
    CAPTURE(pad);
    std::string bytes;
    std::vector<Seen> want;
    for (int i = 0; i != 30; ++i) {
      const std::string path = "/" + std::to_string(i);
      bytes += "POST " + path + " HTTP/1.1\r\nHost: a\r\nPad: " + std::string(pad, 'p') +
               "\r\nContent-Length: 2\r\n\r\n" + (i % 2 == 0 ? "ab" : "cd");
      want.push_back({"POST", path, "a", i % 2 == 0 ? "ab" : "cd"});
    }
    for (const std::size_t step : {1000U, 4096U, 8191U}) {
      std::vector<std::size_t> cuts;
      for (std::size_t cut = step; cut < bytes.size(); cut += step) cuts.push_back(cut);
      REQUIRE(converse(bytes, cuts) == want);
    }
  }
}

TEST_CASE("a response depends on the version and the method of its request") {
  const http1::Limits limits;
  const struct {
    std::string_view why, request, connection, end;
    bool keep_alive;
  } cases[] = {
      {"1.1 is kept alive by default", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "", "\r\n\r\nhi", true},
      {"keep-alive is announced to 1.0", "GET / HTTP/1.0\r\n\r\n", "Connection: keep-alive", "\r\n\r\nhi", true},
      {"a close is announced", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "Connection: close", "\r\n\r\nhi", false},
      {"HEAD has no body", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "", "\r\n\r\n", true},
  };
  for (const auto& [why, request, connection, end, keep_alive] : cases) {
    CAPTURE(why);
    RequestContext request_context(limits);
    receive(request_context, request);
    REQUIRE(request_context.decode_head());
    request_context.open_request();
    Response response = Response::text("hi");
    request_context.respond(response, keep_alive, "date");
    const std::string_view response_text = text(request_context.unsent());
    CHECK(response_text.starts_with("HTTP/1.1 200 OK\r\nDate: date\r\n"));
    CHECK(response_text.find("Content-Length: 2") != std::string_view::npos);
    CHECK(response_text.find(connection) != std::string_view::npos);
    CHECK((response_text.find("Connection:") == std::string_view::npos) == connection.empty());
    CHECK(response_text.ends_with(end));
  }
}

TEST_CASE("a large body is not copied, follows its head, and is freed when it has been sent") {
  const http1::Limits limits;
  for (const bool is_static : {false, true}) {
    CAPTURE(is_static);
    RequestContext request_context(limits);
    receive(request_context, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    REQUIRE(request_context.decode_head());
    request_context.open_request();
    static constexpr std::array<char, 70'000> kBytes = [] {
      std::array<char, 70'000> bytes{};
      for (std::size_t i = 0; i != bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i % 23);
      return bytes;
    }();
    const std::string body(kBytes.data(), kBytes.size());
    Response response =
        is_static ? Response::fixed(std::string_view(kBytes.data(), kBytes.size())) : Response::text(body);
    const char* const place = response.body().data();
    request_context.respond(response, true, "date");
    request_context.finish();
    CHECK(request_context.holds_body());
    CHECK_FALSE(request_context.idle());
    std::string sent;
    bool in_place = false;
    while (!request_context.unsent().empty()) {
      const std::string_view left = text(request_context.unsent());
      CHECK(left.size() <= request_context.unsent_bytes());
      in_place = in_place || (left.data() >= place && left.data() < place + body.size());
      const std::size_t count = std::min<std::size_t>(6001, left.size());
      sent += left.substr(0, count);
      request_context.add_sent(count);
    }
    CHECK(in_place);
    CHECK(request_context.idle());
    CHECK_FALSE(request_context.holds_body());
    CHECK(request_context.kept_bytes() < body.size());
    CHECK(sent.contains("Content-Length: 70000\r\n"));
    CHECK(sent.substr(sent.find("\r\n\r\n") + 4) == body);
  }
}

TEST_CASE("bytes that are sent do not gather while a few are always left") {
  const http1::Limits limits;
  RequestContext request_context(limits);
  receive(request_context, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(request_context.decode_head());
  request_context.open_request();
  const Response interim(Status{102});
  std::string sent;
  for (int i = 0; i != 20'000; ++i) {
    request_context.write_interim(interim);
    const std::string_view unsent = text(request_context.unsent());
    if (i == 19'999) sent = unsent;
    request_context.add_sent(unsent.size() - 1);
  }
  CHECK(request_context.kept_bytes() < 256 * 1024);
  CHECK(sent.starts_with("\nHTTP/1.1 102"));
}

TEST_CASE("bytes that are sent in pieces are sent once") {
  const http1::Limits limits;
  RequestContext request_context(limits);
  request_context.refuse(Status::bad_request, "date");
  const std::string all(text(request_context.unsent()));
  std::string sent;
  while (!request_context.unsent().empty()) {
    const std::string_view left = text(request_context.unsent());
    const std::size_t count = std::min<std::size_t>(7, left.size());
    sent += left.substr(0, count);
    request_context.add_sent(count);
  }
  CHECK(sent == all);
  CHECK(all.find("Connection: close\r\n") != std::string::npos);
  request_context.write_continue();
  CHECK(text(request_context.unsent()) == "HTTP/1.1 100 Continue\r\n\r\n");
}

// The views of a handler stay valid while it waits for its body.
TEST_CASE("the head of an open request does not move, however much of the body is received") {
  const http1::Limits limits;
  const std::string large(300'000, 'b');
  const std::string sized = "Content-Length: 300000\r\n\r\n" + large;
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n493e0\r\n" + large + "\r\n0\r\n\r\n";
  for (const std::string& rest : {sized, chunked}) {
    for (const std::size_t before_bytes : {0U, 100U, 3000U, 5000U}) {  // size of the request before it
      for (const std::size_t first_bytes : {0U, 1U, 1000U, 2000U}) {   // bytes of the body that come with the head
        CAPTURE(before_bytes);
        CAPTURE(first_bytes);
        RequestContext request_context(limits);
        const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
        if (before_bytes != 0) {
          receive(request_context, get + "X: " + std::string(before_bytes - get.size() - 7, 'x') + "\r\n\r\n");
        }
        const std::size_t head_end = rest.find("\r\n\r\n") + 4;
        receive(request_context, "POST /a/b?c HTTP/1.1\r\nHost: a\r\n" + rest.substr(0, head_end + first_bytes));
        if (before_bytes != 0) {
          REQUIRE(request_context.decode_head() == http1::HeadState::complete);
          request_context.open_request();
          request_context.finish();
        }
        REQUIRE(request_context.decode_head() == http1::HeadState::complete);
        const Request& request = request_context.open_request();
        const std::string_view target = request.target(), path = request.path(), host = request.host();
        std::string_view left = std::string_view(rest).substr(head_end + first_bytes);
        auto whole = request_context.gather_body();
        while (whole && !*whole) {
          const std::string_view piece = left.substr(0, request_context.room().size());
          REQUIRE_FALSE(piece.empty());
          receive(request_context, piece);
          left.remove_prefix(piece.size());
          whole = request_context.gather_body();
        }
        REQUIRE(whole == true);
        CHECK(target == "/a/b?c");
        CHECK(path == "/a/b");
        CHECK(host == "a");
        CHECK(request.target().data() == target.data());
        CHECK(request.body() == large);
      }
    }
  }
}

// Otherwise a client could choose the size of its head so that each byte of its body takes a system call.
TEST_CASE("a body is received in large pieces, wherever its head ends") {
  const http1::Limits limits;
  for (const std::size_t head_bytes : {100, 4090, 4200, 8100, 8191, 8192, 20'000, 32'767}) {
    for (const std::size_t begin : {0, 100, 4000}) {
      CAPTURE(head_bytes);
      CAPTURE(begin);
      RequestContext request_context(limits);
      const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n";
      if (begin != 0) receive(request_context, first + "X: " + std::string(begin - first.size() - 7, 'x') + "\r\n\r\n");
      const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n";
      std::string head = post;
      while (head_bytes - head.size() > 8000) head += "X: " + std::string(7000, 'x') + "\r\n";
      if (head_bytes > head.size()) head += "X: " + std::string(head_bytes - head.size() - 7, 'x') + "\r\n";
      receive(request_context, head + "\r\n");
      if (begin != 0) {
        REQUIRE(request_context.decode_head() == http1::HeadState::complete);
        request_context.open_request();
        request_context.finish();
      }
      REQUIRE(request_context.decode_head() == http1::HeadState::complete);
      request_context.open_request();
      const std::size_t room = request_context.room().size();
      CHECK(room >= 1024);
      receive(request_context, std::string(room, 'b'));
      CHECK_FALSE(*request_context.decode_body());
      CHECK(request_context.room().size() >= 1024);
      CHECK(request_context.body_bytes() == room);
      CHECK(request_context.decoder().head(head).method == Method::post);
    }
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
