// SPDX-License-Identifier: MIT

// TestStream: a response that is read while the server produces it.
//
//   TestStream stream = client.get("/events").open();
//   while (auto event = stream.read_event()) ...
//
// Backpressure: bytes that the test does not read stay in the connection, and the server waits.
//
// Threads: the test's thread. Lifetime: must not outlive the TestClient; the destructor closes the connection.
// Errors: TestFailure if nothing is received.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/testing/response.h"

namespace volt::http {

namespace testing {
class Call;
}

// A server-sent event (HTML Standard, section 9.2).
struct TestEvent {
  std::string type = "message";
  std::string data;
  std::string id;                                  // the last id that was sent
  std::optional<std::chrono::milliseconds> retry;  // the retry field of this event

  bool operator==(const TestEvent&) const = default;
};

class TestStream {
 public:
  // Waits for the response's head.
  explicit TestStream(std::unique_ptr<testing::Call> call);
  TestStream(TestStream&&) noexcept;
  TestStream& operator=(TestStream&&) noexcept;
  ~TestStream();

  TestStatus status() const noexcept;
  std::optional<std::string_view> header(std::string_view name) const noexcept;

  // Blocks until more of the body is received and returns it; empty at its end.
  std::string read_some();
  // Reads the rest of the body.
  std::string read_rest();
  // Reads the next event; none at the end.
  std::optional<TestEvent> read_event();

  // Waits until all tasks of the server wait. Returns whether there are no unread bytes and the body has not ended.
  [[nodiscard]] bool quiet();
  // Returns whether the body ended as its framing announced; known once reading has reached the end.
  [[nodiscard]] bool complete() const noexcept;
  // Returns a trailer field of a complete body.
  std::optional<std::string_view> trailer(std::string_view name) const noexcept;

  // Disconnects the client.
  void close() noexcept;

 private:
  bool read_more();
  std::optional<std::string> read_line();

  std::unique_ptr<testing::Call> call_;
  std::string unread_;
  std::string last_event_id_;
};

}  // namespace volt::http
