// SPDX-License-Identifier: MIT

// Harness: the state that a TestClient shares with the objects that it returns: the server, its runtime, the idle
// connections and the cookies of the client.
//
// Threads: the test's thread.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "http/server/app.h"
#include "http/server/server.h"
#include "http/testing/cookies.h"
#include "http/testing/internal/captured_log.h"
#include "http/testing/internal/socket.h"
#include "runtime/runtime.h"

namespace volt::http {

struct TestClientOptions;

namespace testing {

class Harness {
 public:
  Harness(App app, const TestClientOptions& options);
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  Runtime& runtime() noexcept { return runtime_; }
  Server& server() noexcept { return server_; }
  std::chrono::milliseconds wait_timeout() const noexcept { return wait_timeout_; }

  // Returns when all tasks of the server wait: nothing changes unless the clock advances or bytes are sent.
  void settle() { runtime_.advance_clock(std::chrono::nanoseconds(0)); }

  // Opens a new connection.
  Socket connect();
  // Returns an idle connection, or a new one. Throws TestFailure if an idle one has received unexpected bytes.
  Socket take();
  void put_back(Socket socket) { waiting_.push_back(std::move(socket)); }
  // Closes the idle connections that the server has closed.
  void drop_closed();

  bool drain(std::chrono::milliseconds limit);
  std::vector<std::string> not_ready();

  // The wall clock of the app.
  [[nodiscard]] std::chrono::sys_seconds now();

  // Waits until all tasks wait, and returns the log so far.
  [[nodiscard]] std::string log();

  // The cookies of the TestClient's own requests; null: none are kept.
  std::shared_ptr<TestCookies> cookies;

 private:
  void finish();
  // Called repeatedly by a loop that waits for a task since `began`. Returns false if it has waited for too long.
  [[nodiscard]] bool wait_with_clock(std::chrono::steady_clock::time_point began);

  const int exceptions_ = std::uncaught_exceptions();
  const std::shared_ptr<CapturedLog> log_;
  Runtime runtime_;
  Server server_;
  const std::chrono::milliseconds wait_timeout_;
  std::vector<Socket> waiting_;
  bool finished_ = false;
};

}  // namespace testing
}  // namespace volt::http
