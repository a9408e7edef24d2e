// TestStream: a response that is read while it is made.
//
//   TestStream stream = client.get("/events").open();
//   while (auto event = stream.read_event()) ...
//
// The server is held up while nobody reads: what it wrote waits in the connection.
//
// Threads: the test's. Lifetime: within the TestClient's; when it goes, so does the connection.
// Errors: TestFailure when nothing comes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/testing/internal/response.h"

namespace volt::http {

namespace testing {
class Call;
}

// A server-sent event (HTML Standard, section 9.2).
struct TestEvent {
  std::string type = "message";
  std::string data;
  std::string id;                                  // the last one that was given
  std::optional<std::chrono::milliseconds> retry;  // of this event's lines

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

  // What comes next of the body; empty at its end.
  std::string read_some();
  // All that is still to come.
  std::string read_rest();
  // None at the end.
  std::optional<TestEvent> read_event();

  // Nothing has come that was not read, and nothing will unless time passes.
  [[nodiscard]] bool quiet();
  // The body ended as the server said it would, which is known once reading has come to the end.
  [[nodiscard]] bool complete() const noexcept;
  // Behind a body that is complete.
  std::optional<std::string_view> trailer(std::string_view name) const noexcept;

  // The client goes away.
  void close() noexcept;

 private:
  bool read_more();
  std::optional<std::string> read_line();

  std::unique_ptr<testing::Call> call_;
  std::string unread_;
  std::string last_event_id_;
};

}  // namespace volt::http
