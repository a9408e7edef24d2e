// SPDX-License-Identifier: MIT

// The states that a connection passes through (http/server/internal/connection.h), as VOLT_TRACE_CONNECTIONS=1 logs
// them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/http.h"
#include "http/server/server.h"
#include "http/web/stream.h"
#include "runtime/log.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/waiting.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;

App traced_app() {
  App app;
  app.get("/", [] { return "hello"; });
  app.post("/echo", [](const Request& request) { return std::string(request.body()); });
  app.post("/echo/{name}", [](Request& request) { return request.param(0) + std::string(request.body()); });
  app.get("/later", [](Request&) -> Task<std::string> { co_return "later"; });
  app.get("/never", [](Request&) -> Task<std::string> {
    co_await sleep_for(1h);
    co_return "never";
  });
  app.post("/unread", [](BodyStream) -> Task<std::string> { co_return "unread"; });
  app.get("/stream", [] {
    return stream("text/plain", [](BodyWriter& out) -> Task<> {
      const std::string_view text = "streamed";
      co_await out.write(text);
    });
  });
  return app;
}

// The text of a log, which another thread writes.
class LogText {
 public:
  void append(std::string_view lines) {
    const std::scoped_lock lock(mutex_);
    text_ += lines;
  }
  [[nodiscard]] std::string text() const {
    const std::scoped_lock lock(mutex_);
    return text_;
  }
  // The states that were entered, with a space before each.
  [[nodiscard]] std::string states() const {
    const std::string text = this->text();
    std::string states;
    for (std::size_t at = text.find(" to="); at != std::string::npos; at = text.find(" to=", at)) {
      at += 4;
      states.append(" ").append(text, at, text.find_first_of(" \n", at) - at);
    }
    return states;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// A server that traces its connections if `variable` asks for it.
class TracedServer {
 public:
  explicit TracedServer(const char* variable) : runtime_(options(log_text_)), server_(make_server(runtime_, variable)) {
    port_ = server_->listen(*Address::parse("127.0.0.1:0"))->port();
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] Server& server() noexcept { return *server_; }
  [[nodiscard]] const LogText& log_text() const noexcept { return *log_text_; }

 private:
  static RuntimeOptions options(const std::shared_ptr<LogText>& log_text) {
    RuntimeOptions options = test_options();
    const auto sink = [log_text](std::string_view lines) { log_text->append(lines); };
    options.log = std::make_shared<Log>(LogOptions{.sink = sink});
    return options;
  }
  static std::unique_ptr<Server> make_server(Runtime& runtime, const char* variable) {
    if (variable != nullptr) ::setenv("VOLT_TRACE_CONNECTIONS", variable, 1);
    const ServerOptions options{.drain_idle_timeout = 50ms};
    auto server = std::make_unique<Server>(runtime, traced_app(), options);
    ::unsetenv("VOLT_TRACE_CONNECTIONS");
    return server;
  }

  std::shared_ptr<LogText> log_text_ = std::make_shared<LogText>();
  Runtime runtime_;
  std::unique_ptr<Server> server_;
  std::uint16_t port_ = 0;
};

// Bytes that a client sends, and the states that the connection enters until it waits again.
struct Piece {
  std::string_view sent;
  std::string_view states;
};

struct Case {
  std::string_view why;
  std::vector<Piece> pieces;
};

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/connection_trace");

TEST_CASE("a connection enters its states in order, and begins each request once") {
  const Case cases[] = {
      {"a request in one piece", {{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", " begin_request finish next_request idle"}}},
      {"two requests in one piece",
       {{"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
         " begin_request finish next_request begin_request finish next_request idle"}}},
      {"a head in two pieces",
       {{"GET / HT", " read_head"}, {"TP/1.1\r\nHost: a\r\n\r\n", " begin_request finish next_request idle"}}},
      {"a request and the beginning of the next",
       {{"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET", " begin_request finish next_request read_head"},
        {" / HTTP/1.1\r\nHost: a\r\n\r\n", " begin_request finish next_request idle"}}},
      {"a body that comes with its head",
       {{"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", " begin_request finish next_request idle"}}},
      {"a body in two pieces",
       {{"POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n", " begin_request read_body"},
        {"abc", " finish next_request idle"}}},
      {"a chunked body in two pieces",
       {{"POST /echo/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na", " begin_request read_body"},
        {"b\r\n0\r\n\r\n", " finish next_request idle"}}},
      {"a body that its handler does not read",
       {{"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na",
         " begin_request await_handler finish drop_body"},
        {"b", " finish next_request idle"}}},
      {"a handler that is a coroutine",
       {{"GET /later HTTP/1.1\r\nHost: a\r\n\r\n", " begin_request await_handler finish next_request idle"}}},
      {"a streamed response",
       {{"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n", " begin_request send_body finish next_request idle"}}},
      {"a last request",
       {{"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", " begin_request finish shutdown_close close"}}},
      {"a malformed request", {{"nonsense\r\n\r\n", " shutdown_linger linger"}}},
  };
  TracedServer traced("1");
  std::string states;
  for (const auto& [why, pieces] : cases) {
    CAPTURE(why);
    HttpClient client(traced.port());
    states += " admit idle";
    for (const Piece& piece : pieces) {
      client.send(piece.sent);
      states += piece.states;
      if (!test::eventually([&] { return traced.log_text().states() == states; }, 5s)) {
        REQUIRE(traced.log_text().states() == states);
      }
    }
    client.close();
    if (!states.ends_with(" close")) states += " close";
    REQUIRE(test::eventually([&] { return traced.log_text().states() == states; }));
  }
}

TEST_CASE("a transition is one log line, with the bytes that are received and unsent") {
  TracedServer traced("1");
  HttpClient client(traced.port());
  CHECK(client.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "hello");
  REQUIRE(test::eventually([&] { return traced.log_text().states().ends_with(" next_request idle"); }));
  const std::string text = traced.log_text().text();
  CAPTURE(text);
  CHECK(text.find(" from=idle to=begin_request received_bytes=27 unsent_bytes=0 module=http\n") != std::string::npos);
  CHECK(text.find(" from=begin_request to=finish received_bytes=27 unsent_bytes=") != std::string::npos);
}

TEST_CASE("a connection whose client resets during a handler is closed") {
  TracedServer traced("1");
  HttpClient client(traced.port());
  client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(test::eventually([&] { return traced.log_text().states() == " admit idle begin_request await_handler"; }));
  client.reset();
  CHECK(test::eventually(
      [&] { return traced.log_text().text().find("from=await_handler to=close") != std::string::npos; }));
}

TEST_CASE("a drain leads an idle connection to its close") {
  TracedServer traced("1");
  HttpClient client(traced.port());
  REQUIRE(test::eventually([&] { return traced.log_text().states() == " admit idle"; }));
  traced.server().start_drain();
  CHECK(client.end() == HttpClient::End::closed);
  client.close();
  CHECK(test::eventually(
      [&] { return traced.log_text().states() == " admit idle idle_closing shutdown_linger linger close"; }));
}

TEST_CASE("connections are traced only where VOLT_TRACE_CONNECTIONS is 1") {
  for (const char* variable : {static_cast<const char*>(nullptr), "", "0"}) {
    TracedServer traced(variable);
    HttpClient client(traced.port());
    CHECK(client.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "hello");
    CHECK(traced.log_text().states().empty());
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
