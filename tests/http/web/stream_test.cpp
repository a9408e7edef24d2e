// SPDX-License-Identifier: MIT

#include "http/web/stream.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "http/http.h"
#include "http/middleware/compress.h"
#include "http/testing/test_client.h"
#include "runtime/concurrent.h"
#include "runtime/file_descriptor.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kNext = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

App app_streaming(auto producer) {
  App app;
  app.get("/", [producer](Request&) { return stream("text/csv", producer); });
  app.get("/next", [] { return "next"; });
  return app;
}

struct Offline : std::runtime_error {
  Offline() : std::runtime_error("decided by the test") {}
};

Task<> fail_unsent(BodyWriter& out) {
  co_await out.write("a,b\n");
  throw Offline();
}

Task<> fail_when_flushed(BodyWriter& out) {
  co_await out.flush();
  throw Offline();
}

// Data that do not compress, and that are more than a socket holds.
const std::string& noise() {
  static const std::string bytes = [] {
    std::minstd_rand random(1);
    std::string made(16 << 20, '\0');
    for (char& byte : made) byte = static_cast<char>(random() >> 8);
    return made;
  }();
  return bytes;
}

FileDescriptor file_of_noise() {
  FileDescriptor file(::memfd_create("volt_stream_test", MFD_CLOEXEC));
  for (std::string_view rest = noise(); !rest.empty();) {
    const ssize_t count = ::write(file.get(), rest.data(), rest.size());
    REQUIRE(count > 0);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return file;
}

// A body whose producer gives up while it writes a file.
class CancelledFile final : public StreamBody {
 public:
  CancelledFile(int fd, std::optional<std::uint64_t> announced) : fd_(fd), announced_(announced) {}

  [[nodiscard]] Task<> write_to(BodyWriter& out) override {
    const Result<void> written = co_await within(50ms, [&] { return out.write_file(fd_, 0, noise().size()); });
    CHECK_FALSE(written);
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return announced_; }

 private:
  int fd_;
  std::optional<std::uint64_t> announced_;
};

// Writes for a second, or until the client disconnects.
Task<> listen_for_the_end(BodyWriter& out) {
  co_await out.write("begun ");
  co_await out.flush();
  const auto sleep = []() -> Task<> { co_await sleep_for(1s); };
  const auto end = [&] { return out.until_closing(); };
  co_await race(sleep, end);
  co_await out.write("done");
}

constexpr std::size_t kPieceBytes = 16 * 1024;  // a write of this size waits after it has taken all of its data

// Writes pieces without end, each for at most `limit`, and sleeps after each one that was cancelled.
auto write_within(std::chrono::milliseconds limit, std::chrono::milliseconds pause) {
  return [limit, pause](BodyWriter& out) -> Task<> {
    const std::string piece(kPieceBytes, 'x');
    for (;;) {
      const Result<void> written = co_await within(limit, [&] { return out.write(piece); });
      if (!written) co_await sleep_for(pause);
    }
  };
}

TEST_SUITE_BEGIN("http/web/stream");

TEST_CASE("a stream that fails before it has sent anything becomes a problem, RFC 9457") {
  TestClient client(app_streaming(fail_unsent), on_test_engine());
  auto connection = client.raw();
  connection.send(std::string(kNext) + std::string(kGet) + std::string(kNext));
  CHECK(connection.read_response().body() == "next");
  const TestResponse answer = connection.read_response();
  CHECK(answer.status() == 500);
  CHECK(answer.header("content-type") == "application/problem+json");
  CHECK_FALSE(answer.header("transfer-encoding"));
  CHECK(answer.body().find("a,b") == std::string::npos);
  CHECK_FALSE(answer.closes());
  CHECK(connection.read_response().body() == "next");
  CHECK(connection.quiet());
}

TEST_CASE("on_error() handles an exception that a stream throws before it has sent anything") {
  App app = app_streaming(fail_unsent);
  app.on_error([](const Offline&) { return unavailable().retry_after(5s); });
  TestClient client(std::move(app), on_test_engine());
  const TestResponse answer = client.get("/").send();
  CHECK(answer.status() == 503);
  CHECK(answer.header("retry-after") == "5");
}

TEST_CASE("an error response that is streamed and fails too becomes a 500") {
  App app = app_streaming(fail_unsent);
  app.on_error([](const Offline&) { return stream("text/plain", fail_unsent); });
  TestClient client(std::move(app), on_test_engine());
  CHECK(client.get("/").send().status() == 500);
}

// RFC 9110 section 6.5.1.
TEST_CASE("a trailer, like a header field, cannot set fields that delimit the message") {
  const auto producer = [](BodyWriter& out) -> Task<> {
    out.trailer("Digest", "x");
    for (const std::string_view name : {"Content-Length", "transfer-encoding", "Connection", "Trailer"}) {
      CHECK_THROWS_AS(out.trailer(name, "0"), std::invalid_argument);
    }
    co_return;
  };
  TestClient client(app_streaming(producer), on_test_engine());
  const TestResponse answer = client.get("/").send();
  REQUIRE(answer.trailers().size() == 1);
  CHECK(answer.trailers().front().name == "Digest");
}

TEST_CASE("a stream that fails after its head was sent is aborted") {
  TestClient client(app_streaming(fail_when_flushed), on_test_engine());
  auto connection = client.raw();
  connection.send(std::string(kGet) + std::string(kNext));
  const std::string all = connection.read_rest();
  CHECK(all.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(all.ends_with("\r\n\r\n"));  // The end of the head: there is no last chunk.
  CHECK(all.find("next") == std::string::npos);
}

TEST_CASE("a stream whose write was cancelled is aborted: the client must not take a part for the whole") {
  const auto gives_up = [](BodyWriter& out) -> Task<> {
    const std::string data(64 << 20, 'x');
    const Result<void> written = co_await within(50ms, [&] { return out.write(data); });
    CHECK_FALSE(written);
  };
  TestClient client(app_streaming(gives_up), on_test_engine());
  auto connection = client.raw();
  connection.send(std::string(kGet) + std::string(kNext));
  client.clock().advance(50ms);
  const std::string all = connection.read_rest();
  CHECK(all.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK_FALSE(all.contains("\r\n0\r\n"));
  CHECK_FALSE(all.contains("next"));
}

TEST_CASE("a coded stream whose write was cancelled is aborted as well") {
  App app;
  app.use(compress());
  app.get("/", [](Request&) {
    return stream("text/csv", [](BodyWriter& out) -> Task<> {
      const Result<void> written = co_await within(50ms, [&] { return out.write(noise()); });
      CHECK_FALSE(written);
    });
  });
  TestClient client(std::move(app), on_test_engine());
  auto connection = client.raw();
  connection.send("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: zstd\r\n\r\n");
  client.clock().advance(50ms);
  const std::string all = connection.read_rest();
  CHECK(all.contains("Content-Encoding: zstd\r\n"));
  CHECK_FALSE(all.ends_with("0\r\n\r\n"));
}

TEST_CASE("a stream whose write of a file was cancelled is aborted, in whichever way the file is sent") {
  const FileDescriptor file = file_of_noise();
  App app;
  app.use(compress());
  app.get("/chunked", [&file](Request&) {
    return Response::streamed(std::make_unique<CancelledFile>(file.get(), std::nullopt), "text/csv");
  });
  app.get("/sized", [&file](Request&) {
    return Response::streamed(std::make_unique<CancelledFile>(file.get(), noise().size()), "text/csv");
  });
  TestClient client(std::move(app), on_test_engine());
  const struct {
    std::string why, path, accepts, field;
  } cases[] = {
      {"copied into chunks", "/chunked", "", "Transfer-Encoding: chunked\r\n"},
      {"sent by the kernel", "/sized", "", "Content-Length: " + std::to_string(noise().size()) + "\r\n"},
      {"encoded", "/sized", "Accept-Encoding: zstd\r\n", "Content-Encoding: zstd\r\n"},
  };
  for (const auto& [why, path, accepts, field] : cases) {
    CAPTURE(why);
    auto connection = client.raw();
    connection.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + accepts + "\r\n" + std::string(kNext));
    client.clock().advance(50ms);
    const std::string all = connection.read_rest();
    CHECK(all.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(all.contains(field));
    CHECK(all.size() < noise().size());
    CHECK_FALSE(all.ends_with("0\r\n\r\n"));
    CHECK(all.find("HTTP/1.1", 1) == std::string::npos);
  }
}

TEST_CASE("a client that reads nothing is disconnected in time, although each write is cancelled and repeated") {
  const struct {
    std::string_view why;
    std::chrono::milliseconds limit, pause;
    ServerOptions server;
  } cases[] = {
      {"a stall", 100ms, 0ms, {.stall_timeout = 2s}},
      {"a stall without a minimum rate", 100ms, 0ms, {.stall_timeout = 2s, .rate_bytes_per_second_min = 0}},
      {"below the minimum rate", 100ms, 0ms, {.rate_bytes_per_second_min = 1'000'000'000, .rate_grace = 2s}},
      {"a producer that pauses between its writes", 10ms, 90ms, {.stall_timeout = 2s}},
  };
  for (const auto& [why, limit, pause, server] : cases) {
    CAPTURE(why);
    TestClient client(app_streaming(write_within(limit, pause)), {.server = server, .io = test_options().io});
    auto connection = client.raw();
    connection.send(kGet);
    client.clock().advance(1900ms);
    CHECK(client.server().connection_count() == 1);
    client.clock().advance(200ms);
    CHECK(client.server().connection_count() == 0);
  }
}

TEST_CASE("a client that has read while the producer paused has the whole time for the next write") {
  const auto producer = [](BodyWriter& out) -> Task<> {
    const std::string piece(kPieceBytes, 'x');
    for (bool in_time = true; in_time;) {
      const Result<void> written = co_await within(100ms, [&] { return out.write(piece); });
      in_time = written.has_value();
    }
    co_await sleep_for(3s);
    for (int more = 0; more != 100; ++more) co_await out.write(piece);
  };
  TestClientOptions options = on_test_engine();
  options.server.rate_bytes_per_second_min = 1'000'000'000;
  options.server.rate_grace = 2s;
  TestClient client(app_streaming(producer), options);
  auto connection = client.raw();
  connection.send(kGet);
  client.clock().advance(1s);
  CHECK_FALSE(connection.peek().empty());
  client.clock().advance(3500ms);  // from 3.1 s on, the next writes wait for the client
  CHECK(client.server().connection_count() == 1);
  const TestResponse response = connection.read_response();
  CHECK(response.body().size() > 100 * kPieceBytes);
  CHECK(response.body().size() % kPieceBytes == 0);
}

TEST_CASE("a client that is silent during until_closing() keeps its connection") {
  TestClient client(app_streaming(listen_for_the_end), on_test_engine());
  auto connection = client.raw();
  connection.send(kGet);
  client.clock().advance(1s);
  CHECK(connection.read_response().body() == "begun done");
  connection.send(kNext);
  CHECK(connection.read_response().body() == "next");
}

TEST_CASE("bytes that a client sends during until_closing() are not read as a request, whole or in part") {
  TestClient client(app_streaming(listen_for_the_end), on_test_engine());
  for (std::size_t cut = 1; cut < kNext.size(); ++cut) {
    CAPTURE(cut);
    auto connection = client.raw();
    connection.send(kGet);
    client.clock().settle();
    connection.send(kNext.substr(0, cut));
    client.clock().advance(1s);
    connection.try_send(kNext.substr(cut));
    CHECK(connection.read_response().body() == "begun done");
    CHECK(connection.read_rest().empty());
  }
}

TEST_CASE("a client that disconnects ends until_closing()") {
  TestClientOptions options = on_test_engine();
  options.server.half_close_cancels = false;
  TestClient client(app_streaming(listen_for_the_end), options);
  auto connection = client.raw();
  connection.send(kGet);
  connection.finish_sending();
  CHECK(connection.read_response().body() == "begun done");
}

TEST_CASE("a chunked body that is not read closes the connection only if its end has not been received") {
  App app;
  app.post("/", [](BodyStream) -> Task<std::string> { co_return "unread"; });
  TestClient client(std::move(app), on_test_engine());
  const struct {
    std::string why, body;
    bool closes;
  } cases[] = {
      {"all of the body", "5\r\nsmall\r\n0\r\n\r\n", false},
      {"all but one byte", "5\r\nsmall\r\n0\r\n\r", true},
      {"none of the body", "", true},
      {"a part of a chunk", "5\r\nsma", true},
      {"a malformed body", "5\r\nsmall!\r\n0\r\n\r\n", true},
  };
  for (const auto& [why, body, closes] : cases) {
    CAPTURE(why);
    auto connection = client.raw();
    connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body);
    const TestResponse answer = connection.read_response();
    CHECK(answer.body() == "unread");
    CHECK(answer.closes() == closes);
    client.clock().advance(3s);
    CHECK(connection.ended() == closes);
  }
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt::http
