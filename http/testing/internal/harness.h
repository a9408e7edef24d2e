// SPDX-License-Identifier: MIT

// Harness: the state that a TestClient shares with the objects that it returns: the server, its runtime, the idle
// connections and the cookies.
//
// Threads: the test's thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "http/server/app.h"
#include "http/server/server.h"
#include "http/testing/internal/socket.h"
#include "http/testing/response.h"
#include "runtime/runtime.h"

namespace volt::http {

struct TestClientOptions;

namespace testing {

class Harness {
 public:
  Harness(App app, const TestClientOptions& options);

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

  void keep_cookies() noexcept { keeps_cookies_ = true; }
  void same_origin() noexcept { is_same_origin_ = true; }
  bool is_same_origin() const noexcept { return is_same_origin_; }
  const std::vector<TestField>& cookies() const noexcept { return cookies_; }
  void note_cookies(const TestResponse& response);

 private:
  void note_cookie(std::string_view set_cookie);
  void finish();
  // Called repeatedly by a loop that waits for a task since `began`. Returns false if it has waited for too long.
  [[nodiscard]] bool wait_with_clock(std::chrono::steady_clock::time_point began);

  Runtime runtime_;
  Server server_;
  const std::chrono::milliseconds wait_timeout_;
  std::vector<Socket> waiting_;
  bool finished_ = false;
  bool keeps_cookies_ = false;
  bool is_same_origin_ = false;
  std::vector<TestField> cookies_;
};

}  // namespace testing
}  // namespace volt::http
