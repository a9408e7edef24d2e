// SPDX-License-Identifier: MIT

// Log lines of tasks that serve requests, over real connections.
#include "http/server/internal/request_log.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "http/cookies/memory_sessions.h"
#include "http/http.h"
#include "http/middleware/limits.h"
#include "http/middleware/observe.h"
#include "http/middleware/session.h"
#include "http/web/stream.h"
#include "runtime/blocking.h"
#include "runtime/logger.h"
#include "runtime/scope.h"
#include "runtime/spawn.h"
#include "runtime/time.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"
#include "tests/support/websocket_client.h"
#include "tests/support/websocket_handlers.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::ServedApp;

constexpr std::string_view kTrace = "0af7651916cd43dd8448eb211c80319c";

// A server whose log can be read.
class LoggingServer {
 public:
  explicit LoggingServer(App app) : served_(std::move(app), test::patient_options(), options()) {}

  [[nodiscard]] std::uint16_t port() const noexcept { return served_.port(); }
  [[nodiscard]] std::string text() const {
    const std::scoped_lock lock(lines_->mutex);
    return lines_->text;
  }
  // Returns the first line with that text, from its level on; empty if there is none in time.
  [[nodiscard]] std::string line_with(std::string_view part) const {
    std::string line;
    static_cast<void>(test::eventually([&] {
      const std::string all = text();
      const std::size_t at = all.find(part);
      const std::size_t end = all.find('\n', at);
      if (at == std::string::npos || end == std::string::npos) return false;
      const std::size_t before = all.rfind('\n', at);
      const std::size_t begin = all.find(' ', before == std::string::npos ? 0 : before) + 1;
      line = all.substr(begin, end - begin);
      return true;
    }));
    return line;
  }

 private:
  struct Lines {
    std::mutex mutex;
    std::string text;
  };

  [[nodiscard]] RuntimeOptions options() {
    RuntimeOptions options = test_options();
    options.log = std::make_shared<Log>(LogOptions{.sink = [lines = lines_](std::string_view text) {
      const std::scoped_lock lock(lines->mutex);
      lines->text += text;
    }});
    return options;
  }

  const std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  ServedApp served_;
};

std::string get(std::string_view path, bool traced = true) {
  std::string text = "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nX-Request-Id: a-1\r\n";
  if (traced) text += "traceparent: 00-" + std::string(kTrace) + "-b7ad6b7169203331-01\r\n";
  return text + "\r\n";
}

Task<> say(std::string text) {
  log(LogLevel::info, text);
  co_return;
}

Task<> write_body(BodyWriter& out) {
  log(LogLevel::info, "said by the producer");
  co_await out.write("a");
}

Task<> write_half(BodyWriter& out) {
  co_await out.write("a");
  co_await out.flush();
  throw std::out_of_range("decided by the test");
}

Task<> listen(WebSocket& socket) {
  log(LogLevel::info, "said at once");
  while (const auto message = co_await socket.receive()) {
    if (message->data == "throw") throw std::out_of_range("decided by the test");
    log(LogLevel::info, "said later");
    co_await socket.send_text("heard");
  }
}

App make_app() {
  App app;
  app.use(request_id(), trace_context());
  app.get("/plain/{id}", [] {
    log(LogLevel::info, "said by a function", {{"a", 1}});
    return "a";
  });
  app.get("/coroutine", [] -> Task<std::string> {
    co_await sleep_for(1ms);
    Logger("orders")(LogLevel::info, "said after a wait");
    co_return "a";
  });
  app.get("/child", [] -> Task<std::string> {
    co_await with_scope([](Scope& scope) -> Task<> {
      scope.spawn(say, std::string("said by a child"));
      co_return;
    });
    co_return "a";
  });
  app.get("/blocking", [] -> Task<std::string> {
    co_await blocking([] { log(LogLevel::info, "said in blocking"); });
    co_return "a";
  });
  app.get("/spawned", [] -> Task<std::string> {
    JoinHandle<void> spawned = spawn(say, std::string("said elsewhere"));
    co_await std::move(spawned);
    co_return "a";
  });
  app.get("/producer", [] { return stream("text/plain", write_body); });
  app.get("/half", [] { return stream("text/plain", write_half); });
  app.get("/throws/{id}", [] -> int { throw std::out_of_range("decided by the test"); });
  app.ws("/ws/{room}", listen);
  auto limited = app.group("/limited");
  limited.use(timeout(1h));
  limited.get("/", [] -> Task<std::string> {
    log(LogLevel::info, "said within a timeout");
    co_return "a";
  });
  app.fallback([] {
    log(LogLevel::info, "said by the fallback");
    return "a";
  });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/request_log");

TEST_CASE("each line that is logged for a request has its id, method, pattern and trace id") {
  const struct {
    std::string_view why, path, message, fields, pattern;
  } cases[] = {
      {"a plain function", "/plain/7", "said by a function", " a=1", " pattern=/plain/{id}"},
      {"a coroutine", "/coroutine", "said after a wait", " module=orders", " pattern=/coroutine"},
      {"a child", "/child", "said by a child", "", " pattern=/child"},
      {"another thread", "/blocking", "said in blocking", "", " pattern=/blocking"},
      {"middleware that runs the handler in a child", "/limited/", "said within a timeout", "", " pattern=/limited/"},
      {"the producer of a body", "/producer", "said by the producer", "", " pattern=/producer"},
      {"no route", "/none", "said by the fallback", "", ""},
  };
  const LoggingServer server(make_app());
  HttpClient client(server.port());
  for (const auto& [why, path, message, fields, pattern] : cases) {
    CAPTURE(why);
    client.send(get(path));
    CHECK(client.read().status == 200);
    if (path == "/producer") static_cast<void>(client.read_until("0\r\n\r\n"));
    std::string want = "info ";
    want.append(message).append(fields).append(" request_id=a-1 method=GET").append(pattern);
    CHECK(server.line_with(message) == want.append(" trace_id=").append(kTrace));
  }
}

TEST_CASE("a request without a trace has the trace that began with it, and never one of an earlier request") {
  const LoggingServer server(make_app());
  HttpClient client(server.port());
  CHECK(client.ask(get("/plain/7")).status == 200);
  CHECK(client.ask(get("/coroutine", false)).status == 200);
  const std::string line = server.line_with("said after a wait");
  CHECK(line.contains(" trace_id="));
  CHECK(!line.contains(kTrace));
}

TEST_CASE("without middleware, lines have the method and the pattern") {
  App app;
  app.get("/{id}", [] {
    log(LogLevel::info, "said");
    return "a";
  });
  const LoggingServer server(std::move(app));
  HttpClient client(server.port());
  CHECK(client.ask(get("/7")).status == 200);
  CHECK(server.line_with("said") == "info said method=GET pattern=/{id}");
}

TEST_CASE("a task of spawn() says nothing about the request, because it may outlive it") {
  const LoggingServer server(make_app());
  HttpClient client(server.port());
  CHECK(client.ask(get("/spawned")).status == 200);
  CHECK(server.line_with("said elsewhere") == "info said elsewhere");
}

TEST_CASE("the line of an exception has its type, its message and the request, also when the response has begun") {
  const struct {
    std::string_view path, begin, end;
  } cases[] = {
      {"/throws/7",
       "error handler threw an exception method=GET pattern=/throws/{id} path=/throws/7 status=500 error=\"decided by "
       "the test\" type=std::out_of_range request_id=a-1 module=http",
       ""},
      {"/half", "warning response aborted error=\"decided by the test\" type=std::out_of_range module=http",
       " request_id=a-1 method=GET pattern=/half"},
  };
  for (const auto& [path, begin, end] : cases) {
    CAPTURE(path);
    const LoggingServer server(make_app());
    HttpClient client(server.port());
    client.send(get(path));
    static_cast<void>(client.read());
    CHECK(server.line_with("decided") == std::string(begin).append(end).append(" trace_id=").append(kTrace));
  }
}

TEST_CASE("a WebSocket's lines have the fields of its request, which has ended") {
  const LoggingServer server(make_app());
  const std::string fields = " request_id=a-1 method=GET pattern=/ws/{room} trace_id=" + std::string(kTrace);
  const std::string head = "X-Request-Id: a-1\r\ntraceparent: 00-" + std::string(kTrace) + "-b7ad6b7169203331-01\r\n";
  test::WebSocketClient client(server.port(), "/ws/7", head);
  client.send_text("hello");
  CHECK(client.next() == "text heard");
  CHECK(server.line_with("said at once") == "info said at once" + fields);
  CHECK(server.line_with("said later") == "info said later" + fields);
  client.send_text("throw");
  CHECK(client.next() == "close 1011");
  client.http().close();
  CHECK(server.line_with("decided").ends_with(" type=std::out_of_range module=http" + fields));
}

TEST_CASE("the line about a session that has no room advises what helps: sessions_max, or the store") {
  SessionOptions in_memory;
  in_memory.sessions_max = 1;
  SessionOptions in_store;
  in_store.keys = CookieKeys::random();
  in_store.store = std::make_shared<MemorySessions>(MemorySessionsOptions{.sessions_max = 1});
  const struct {
    SessionOptions options;
    std::string line;
  } cases[] = {
      {in_memory, "error all sessions are in use by logged-in users: a new one was refused; raise sessions_max"},
      {in_store, "error the store of the sessions is full: a session was not saved cookie=__Host-session"},
  };
  for (const auto& [options, line] : cases) {
    App app;
    app.use(sessions(options));
    app.get("/login", [](From<Session> session) {
      session->rotate();
      session->set("user", 7);
    });
    const LoggingServer server(std::move(app));
    HttpClient client(server.port());
    const std::string request = "GET /login HTTP/1.1\r\nHost: a\r\n\r\n";
    CHECK(client.ask(request).status == 204);
    CHECK(client.ask(request).status == 503);
    CHECK(server.line_with("session").starts_with(line));
  }
}

TEST_SUITE_END();
}  // namespace volt::http
