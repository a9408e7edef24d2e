// SPDX-License-Identifier: MIT

// TestClient: sends requests to an app under test, without ports and without real waits.
//
//   http::TestClient client(make_app(Db::memory()));
//   auto made = client.post("/api/v1/items").bearer("t").json(NewItem{"pen", 3}).send();
//   CHECK(made.status() == 201);
//   auto slow = client.get("/slow").start();
//   client.clock().advance(3s);
//   CHECK(slow.wait().status() == 503);
//
// A Server serves the app on a Runtime of its own: parser, middleware, serializer and timeouts are the real ones. There
// are two differences to production. Connections are socket pairs instead of accepted sockets. The clock stands still
// until the test advances it, so no timeout expires by itself. As on any unix socket, a request has no peer address,
// and a connection that the server resets merely ends. Consecutive requests share one connection; concurrent requests
// have one each.
//
// Threads: one thread, which is not a worker of a runtime, uses the client and all objects that it returns. Several
// clients may exist at once. Lifetime: the objects that it returns must not be used after the client is destroyed.
// Errors: the constructor throws std::invalid_argument for an invalid app, std::system_error as Runtime does, and
// std::runtime_error if a step of App::before_listen() fails, which it runs. All other functions throw TestFailure when
// the server misbehaves; a wait that receives nothing fails after TestClientOptions::wait_timeout of real time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/method.h"
#include "http/server/app.h"
#include "http/server/options.h"
#include "http/server/server.h"
#include "http/testing/browser.h"
#include "http/testing/connection.h"
#include "http/testing/cookies.h"
#include "http/testing/request.h"
#include "http/testing/response.h"
#include "http/testing/stream.h"
#include "http/testing/verbs.h"
#include "http/testing/web_socket.h"
#include "runtime/options.h"
#include "runtime/runtime.h"

namespace volt::http {

namespace testing {
class Harness;
}

struct TestClientOptions {
  ServerOptions server;
  IoEngine io = IoEngine::automatic;
  std::chrono::milliseconds wait_timeout = std::chrono::seconds(10);  // real time of one wait; TestFailure beyond it
};

// The app's clocks: the steady one of sleeps, timeouts and deadlines, and the wall clock of dates
// (runtime/wall_clock.h). Both advance together.
class TestClock {
 public:
  explicit TestClock(Runtime& runtime) noexcept : runtime_(runtime) {}
  // Sets the wall clock, before the first request: until then it is that of the system. Does not change the steady
  // clock.
  void set(std::chrono::sys_seconds time);
  // `time` is a time in UTC such as "2026-01-01T00:00:00Z". Throws std::invalid_argument if it is none.
  void set(std::string_view time);
  // Returns the wall clock.
  [[nodiscard]] std::chrono::sys_seconds now();
  // Advances the clock. Returns when all tasks that became runnable wait again.
  void advance(std::chrono::nanoseconds duration) { runtime_.advance_clock(duration); }
  // Returns when all tasks of the server wait, without advancing the clock.
  void settle() { runtime_.advance_clock(std::chrono::nanoseconds(0)); }

 private:
  Runtime& runtime_;
};

class TestClient : public TestVerbs<TestClient> {
 public:
  explicit TestClient(App app, const TestClientOptions& options = {});
  TestClient(TestClient&&) noexcept;
  ~TestClient();

  TestRequest request(Method method, std::string_view path);

  // Sends the WebSocket handshake and waits for the response.
  TestWebSocket websocket(std::string_view path, const TestWebSocketOptions& options = {});
  // Opens a new connection for raw bytes.
  TestConnection raw() { return TestConnection(*harness_); }

  TestClock& clock() noexcept { return clock_; }

  // Stores the cookies of responses and sends them with requests, as one visitor with a browser (TestCookies), for all
  // requests that are made from now on. Not the default: most services know no cookies, and a test that sends cookies
  // of its own should not have others beside them. For several visitors, see browser().
  void keep_cookies();
  // The cookies that keep_cookies() keeps. Throws std::logic_error before the first keep_cookies().
  [[nodiscard]] TestCookies& cookies();
  // Returns a visitor with cookies of its own, whose requests are same-origin (http/testing/browser.h).
  [[nodiscard]] TestBrowser browser(const TestBrowserOptions& options = {}) { return TestBrowser(*harness_, options); }

  // Waits until all tasks of the server wait, and returns the lines that the app has logged, as text, at most the last
  // MiB. They are not printed, unless the client is destroyed by an exception, such as that of a failed requirement, or
  // VOLT_TEST_LOG=1 is in the environment, which prints each line at once instead.
  [[nodiscard]] std::string log();

  // Runs the checks of App::ready_when() and returns the names of those that fail. A tenth of
  // TestClientOptions::wait_timeout later, advances the clock, so that a check which waits too long times out.
  [[nodiscard]] std::vector<std::string> not_ready();

  // Drains the server and advances the clock by at most `limit`. Returns whether all connections have ended. Streams
  // and raw connections that the test keeps open count, too: the result is then false. The first call then runs the
  // steps of App::after_drain().
  [[nodiscard]] bool drain(std::chrono::milliseconds limit = std::chrono::seconds(10));
  // Starts a drain and returns when all tasks of the server wait.
  void start_drain();

  Server& server() noexcept;
  Runtime& runtime() noexcept;

 private:
  std::unique_ptr<testing::Harness> harness_;
  TestClock clock_;
};

}  // namespace volt::http
