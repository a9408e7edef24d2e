// SPDX-License-Identifier: MIT

// Concurrent transfers in both directions: responses that begin before the request's body has ended, and upgraded
// connections.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/client/client.h"
#include "http/client/client_stream.h"
#include "http/http.h"
#include "http/web/stream.h"
#include "runtime/notify.h"
#include "runtime/time.h"
#include "tests/support/allocated_bytes.h"
#include "tests/support/canned_server.h"
#include "tests/support/fetched.h"
#include "tests/support/sanitizers.h"
#include "tests/support/served_app.h"
#include "tests/support/streamed_request_body.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::fetch;
using test::ServedApp;
using test::StreamedRequestBody;
using test::Turn;
using namespace std::chrono_literals;

constexpr std::size_t kLongBytes = 3'000'000;  // more than the socket buffers between client and server hold

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i != bytes; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 4093) % 26);
  return text;
}

Task<> give_back(BodyWriter& out, BodyStream& body) {
  for (;;) {
    co_await out.flush();
    const std::optional<std::string_view> piece = co_await body.read();
    if (!piece) co_return;
    co_await out.write(*piece);
  }
}

App make_app() {
  App app;
  app.post("/give-back", [](BodyStream body) { return http::stream("text/plain", give_back, std::move(body)); });
  app.post("/trailers", [](const Request& request) {
    return std::string(request.body()) + " " + std::string(request.trailers().find("x-sum").value_or("none"));
  });
  return app;
}

ClientRequest post_to(const ServedApp& served, const std::string& target, std::unique_ptr<ClientBody> body) {
  ClientRequest post(Method::post, "http://" + served.address().to_string() + target);
  post.body(std::move(body));
  return post;
}

ServerOptions for_long_bodies() {
  ServerOptions options;
  options.limits.body_bytes_max = kLongBytes;
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("http/client/client_duplex");

TEST_CASE("a response that begins before the request's body has ended is read while the rest is sent") {
  ServedApp served(make_app(), for_long_bodies());
  HttpClient client;
  const std::string text = pattern(kLongBytes);
  for (const std::optional<std::uint64_t> size : {std::optional<std::uint64_t>(text.size()), {}}) {
    CAPTURE(size.has_value());
    const std::string echoed = served.runtime().block_on([&] {
      return fetch(client, post_to(served, "/give-back", std::make_unique<StreamedRequestBody>(text, 50'000, size)));
    });
    CHECK((echoed == "200 " + text));
  }
}

TEST_CASE("a response's head is returned while the request's body waits for it") {
  // A body whose first piece is available only after the response's head was received.
  class Waiting final : public ClientBody {
   public:
    explicit Waiting(std::shared_ptr<Notify> told) noexcept : told_(std::move(told)) {}
    [[nodiscard]] Task<std::optional<std::string_view>> next() override {
      if (done_) co_return std::nullopt;
      co_await told_->notified();
      done_ = true;
      co_return std::string_view("and now the body");
    }

   private:
    const std::shared_ptr<Notify> told_;
    bool done_ = false;
  };
  ServedApp served(make_app());
  HttpClient client;
  const auto told = std::make_shared<Notify>();
  served.runtime().block_on([&]() -> Task<> {
    Result<ClientResponse> response =
        co_await client.send(post_to(served, "/give-back", std::make_unique<Waiting>(told)));
    REQUIRE(response);
    CHECK(response->status() == Status::ok);
    CHECK(response->try_next().error() == std::errc::operation_would_block);
    told->notify_one();
    const Result<std::string> text = co_await response->text();
    CHECK(text == "and now the body");
    const Result<std::optional<std::string_view>> end = response->try_next();
    REQUIRE(end);
    CHECK(!*end);
  });
}

TEST_CASE("an exception of the request's body is rethrown to the task that waits for the response") {
  class Broken final : public ClientBody {
   public:
    [[nodiscard]] Task<std::optional<std::string_view>> next() override {
      if (++pieces_ == 3) throw std::domain_error("no more of it");
      co_await sleep_for(20ms);
      co_return std::string_view("piece");
    }

   private:
    int pieces_ = 0;
  };
  ServedApp served(make_app());
  HttpClient client;
  CHECK_THROWS_AS(served.runtime().block_on(
                      [&] { return fetch(client, post_to(served, "/give-back", std::make_unique<Broken>())); }),
                  std::domain_error);
  CHECK(client.idle_connections() == 0);
  CHECK(served.has_connections(0));
}

TEST_CASE("destroying a response destroys the unsent rest of its request") {
  ServedApp served(make_app(), for_long_bodies());
  HttpClient client;
  served.runtime().block_on([&]() -> Task<> {
    auto body = std::make_unique<StreamedRequestBody>(pattern(kLongBytes), 50'000, std::nullopt);
    const Result<ClientResponse> response = co_await client.send(post_to(served, "/give-back", std::move(body)));
    CHECK(response);
  });
  CHECK(served.has_connections(0));
}

TEST_CASE("trailer fields are sent after a body of unknown size") {
  ServedApp served(make_app());
  HttpClient client;
  FieldList trailers;
  trailers.add("X-Sum", "7");
  const auto post = [&](std::optional<std::uint64_t> size) {
    return served.runtime().block_on([&] {
      return fetch(client,
                   post_to(served, "/trailers", std::make_unique<StreamedRequestBody>("abc", 2, size, trailers)));
    });
  };
  CHECK(post(std::nullopt) == "200 abc 7");
  CHECK(post(3) == "200 abc none");
  CHECK(client.idle_connections() == 1);
}

TEST_CASE("a switch to a protocol that was not requested is an error") {
  Runtime runtime(test_options());
  for (const std::string upgrade : {"", "Upgrade: chat2\r\n", "Upgrade: cha\r\n", "Upgrade: h2c, chat\r\n"}) {
    CAPTURE(upgrade);
    const CannedServer server({{.answer = "HTTP/1.1 101 X\r\nConnection: Upgrade\r\n" + upgrade + "\r\n"}});
    HttpClient client;
    runtime.block_on([&]() -> Task<> {
      ClientRequest request(Method::get, server.uri());
      request.upgrade("chat");
      const Result<ClientResponse> response = co_await client.send(std::move(request));
      REQUIRE_FALSE(response);
      CHECK(response.error() == ClientError::upgraded);
    });
    CHECK(client.idle_connections() == 0);
  }
}

TEST_CASE("a connection continues with the requested protocol after 101") {
  Runtime runtime(test_options());
  const CannedServer server({{.answer = "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\nhello"},
                             {.answer = "bye", .closes = true},
                             {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"}});
  HttpClient client;
  const auto ask = [&] {
    ClientRequest request(Method::get, server.uri());
    request.upgrade("chat");
    return client.send(std::move(request));
  };
  runtime.block_on([&]() -> Task<> {
    Result<ClientResponse> response = co_await ask();
    REQUIRE(response);
    CHECK(response->status() == Status::switching_protocols);
    const std::unique_ptr<ClientStream> stream = response->take_stream();
    REQUIRE(stream);
    CHECK(response->take_stream() == nullptr);
    std::string said;
    std::array<char, 3> bytes;  // fewer bytes than were received with the head
    while (said.size() != 5) {
      const Result<std::size_t> count = co_await stream->read(std::as_writable_bytes(std::span(bytes)));
      REQUIRE(count);
      said.append(bytes.data(), *count);
    }
    CHECK(said == "hello");
    stream->set_read_deadline_in(20ms);
    const Result<std::size_t> nothing = co_await stream->read(std::as_writable_bytes(std::span(bytes)));
    CHECK(nothing.error() == std::errc::timed_out);
    stream->set_read_deadline_in(kNoDeadline);
    const std::string_view question = "how do you do\r\n\r\n";
    const Result<void> written = co_await stream->write_all(std::as_bytes(std::span(question)));
    CHECK(written);
    const Result<std::size_t> last = co_await stream->read(std::as_writable_bytes(std::span(bytes)));
    CHECK(last == 3U);
    CHECK(std::string(bytes.data(), 3) == "bye");
    const Result<std::size_t> end = co_await stream->read(std::as_writable_bytes(std::span(bytes)));
    CHECK(end == 0U);
  });
  CHECK(server.requests().at(0).find("\r\nConnection: Upgrade\r\nUpgrade: chat\r\n") != std::string::npos);
  CHECK(server.requests().at(1) == "how do you do\r\n\r\n");
  runtime.block_on([&]() -> Task<> {  // a server that refuses the upgrade
    Result<ClientResponse> response = co_await ask();
    REQUIRE(response);
    CHECK(response->take_stream() == nullptr);
    const Result<std::string> text = co_await response->text();
    CHECK(text == "no");
  });
  CHECK(client.idle_connections() == 1);
  ClientRequest request(Method::get, "http://a/");
  CHECK_THROWS_AS(request.upgrade("two words"), std::invalid_argument);
}

TEST_CASE("an upgraded connection frees the bytes that came with the head when they have been read") {
  Runtime runtime(test_options());
  const std::string said(12 * 1024, 'x');  // with the head, less than one read takes
  const CannedServer server({{.answer = "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n" + said}});
  HttpClient client;
  runtime.block_on([&]() -> Task<> {
    ClientRequest request(Method::get, server.uri());
    request.upgrade("chat");
    Result<ClientResponse> response = co_await client.send(std::move(request));
    REQUIRE(response);
    std::string bytes(said.size(), '\0');
    const std::size_t with_buffer = test::allocated_bytes();
    const Result<std::optional<std::string_view>> nothing = response->try_next();  // does not drop the stream's bytes
    REQUIRE(nothing);
    CHECK_FALSE(*nothing);
    const std::unique_ptr<ClientStream> stream = response->take_stream();
    REQUIRE(stream);
    for (std::size_t read = 0; read != said.size();) {
      const auto room = std::as_writable_bytes(std::span(bytes)).subspan(read);
      const Result<std::size_t> count = co_await stream->read(room);
      REQUIRE(count);
      REQUIRE(*count != 0);
      read += *count;
    }
    CHECK((bytes == said));
    // The buffer of the head and the stream's copy of the rest are freed.
    if (!test::kSanitized) CHECK(test::allocated_bytes() + 8192 < with_buffer);
    CHECK(response->header("upgrade") == "chat");
  });
}

}  // namespace volt::http
