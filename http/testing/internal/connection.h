// TestConnection: a connection to the server under test for bytes of any kind: what clients should not send, or in pieces
// that the test chooses.
//
// Threads: the test's. Lifetime: within the TestClient's. Errors: TestFailure when nothing comes, or no response does.
#pragma once

#include <string>
#include <string_view>

#include "http/message/method.h"
#include "http/testing/internal/response.h"
#include "http/testing/internal/socket.h"

namespace volt::http {

namespace testing {
class Harness;
}

class TestConnection {
 public:
  explicit TestConnection(testing::Harness& harness);

  // Throws TestFailure if the server takes no more of it although nothing else goes on.
  void send(std::string_view bytes);
  // As much as the server takes: how many bytes. Fewer than all: it reads no more, or has closed.
  std::size_t try_send(std::string_view bytes);

  // The next response, to a request of that method. Answers may wait in the connection before.
  TestResponse read_response(Method method = Method::get);
  // What comes next; empty at the end.
  std::string read_some();
  // All that comes up to the end of the connection.
  std::string read_rest();

  // What has come once the server is at rest, and stays to be read. Valid until the next call.
  std::string_view peek();
  // Nothing has come that was not read, nor has the connection ended, and neither will unless time passes.
  [[nodiscard]] bool quiet();
  // The server has closed its end, and all that came was read. As quiet(), it lets the server finish first.
  [[nodiscard]] bool ended();

  // The server sees the end of what we send; its answers still come.
  void finish_sending() noexcept { socket_.finish_sending(); }
  void close() noexcept { socket_.close(); }

 private:
  bool receive();

  testing::Harness* harness_;
  testing::Socket socket_;
  std::string unread_;
  bool ended_ = false;
};

}  // namespace volt::http
