// TestClient: an app under test, without ports and without waiting.
//
//   http::TestClient client(make_app(Db::memory()));
//   auto made = client.post("/api/v1/items").bearer("t").json(NewItem{"pen", 3}).send();
//   CHECK(made.status() == 201);
//   auto slow = client.get("/slow").start();
//   client.clock().advance(3s);
//   CHECK(slow.wait().status() == 503);
//
// The app is served by a Server on a Runtime of its own: parser, middleware, serialiser and timeouts are the real ones.
// Only its connections are socket pairs and not accepted ones, and its clock stands still until the test advances it, so
// that nothing times out by itself. As on any unix socket a request has no peer address, and a connection that the
// server resets merely ends. One connection serves consecutive requests; a request that is under way has its own.
//
// Threads: one, none of a runtime's workers, uses it and all that it hands out. Several clients live side by side.
// Lifetime: what it hands out is not used after it.
// Errors: the constructor throws what is wrong with the app (std::invalid_argument), and std::system_error as Runtime
// does. Everything else throws TestFailure when the server does not do as it must; a wait that gets nothing ends after
// TestClientOptions::wait_timeout of real time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/method.h"
#include "http/server/app.h"
#include "http/testing/internal/connection.h"
#include "http/testing/internal/harness.h"
#include "http/testing/internal/request.h"
#include "http/testing/internal/response.h"
#include "http/testing/internal/stream.h"
#include "http/testing/internal/web_socket.h"

namespace volt::http {

// The app's time.
class TestClock {
 public:
  explicit TestClock(Runtime& runtime) noexcept : runtime_(runtime) {}
  // Returns when all that this set off waits again.
  void advance(std::chrono::nanoseconds duration) { runtime_.advance_clock(duration); }
  // Only that: lets the server come to rest.
  void settle() { runtime_.advance_clock(std::chrono::nanoseconds(0)); }

 private:
  Runtime& runtime_;
};

class TestClient {
 public:
  explicit TestClient(App app, const TestClientOptions& options = {});

  // `path` as it goes on the wire, escaped where it must be, perhaps with a query.
  TestRequest get(std::string_view path) { return request(Method::get, path); }
  TestRequest head(std::string_view path) { return request(Method::head, path); }
  TestRequest post(std::string_view path) { return request(Method::post, path); }
  TestRequest put(std::string_view path) { return request(Method::put, path); }
  TestRequest patch(std::string_view path) { return request(Method::patch, path); }
  TestRequest del(std::string_view path) { return request(Method::del, path); }
  TestRequest options(std::string_view path) { return request(Method::options, path); }
  TestRequest request(Method method, std::string_view path) { return TestRequest(*harness_, method, path); }

  // Asks for a WebSocket and waits for the response.
  TestWebSocket websocket(std::string_view path, const TestWebSocketOptions& options = {});
  // A connection of its own.
  TestConnection raw() { return TestConnection(*harness_); }

  TestClock& clock() noexcept { return clock_; }

  // From now on sends the cookies that it is given: by name, whatever their paths and domains.
  void keep_cookies() noexcept { harness_->keep_cookies(); }

  // Drains the server, advancing the clock by at most `limit`: whether all connections have ended. Streams and raw
  // connections that the test still holds open count as well.
  [[nodiscard]] bool drain(std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    return harness_->drain(limit);
  }
  // The beginning of that only.
  void start_drain();

  Server& server() noexcept { return harness_->server(); }
  Runtime& runtime() noexcept { return harness_->runtime(); }

 private:
  std::unique_ptr<testing::Harness> harness_;
  TestClock clock_;
};

}  // namespace volt::http
