// SPDX-License-Identifier: MIT

// TestConnection: a raw connection to the server under test, for bytes of any kind: invalid requests, or requests in
// pieces that the test chooses.
//
// Threads: the test's thread. Lifetime: must not outlive the TestClient. Errors: TestFailure if nothing, or no valid
// response, is received.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/message/method.h"
#include "http/testing/response.h"

namespace volt::http {

namespace testing {
class Harness;
class Socket;
}  // namespace testing

class TestConnection {
 public:
  explicit TestConnection(testing::Harness& harness);
  TestConnection(TestConnection&&) noexcept;
  TestConnection& operator=(TestConnection&&) noexcept;
  ~TestConnection();

  // Sends all bytes. Throws TestFailure if all tasks of the server wait and it has not accepted all bytes.
  void send(std::string_view bytes);
  // Sends as many bytes as the server accepts, and returns their number. If not all were sent, the server does not read
  // or has closed the connection.
  std::size_t try_send(std::string_view bytes);

  // Reads the next response. `method` must be the method of its request. If several responses have been received, each
  // call reads one.
  TestResponse read_response(Method method = Method::get);
  // Blocks until bytes are received and returns them; empty at the end.
  std::string read_some();
  // Reads all bytes up to the end of the connection.
  std::string read_rest();

  // Waits until all tasks of the server wait. Returns the bytes received so far, which stay unread. Valid until the
  // next call.
  std::string_view peek();
  // Waits until all tasks of the server wait. Returns true if there are no unread bytes and the connection has not
  // ended. Both stay so until the clock advances.
  [[nodiscard]] bool quiet();
  // Waits until all tasks of the server wait. Returns whether the server has closed its end and all bytes were read.
  [[nodiscard]] bool ended();

  // Closes the sending side (FIN). Responses can still be received.
  void finish_sending() noexcept;
  void close() noexcept;

 private:
  bool receive();

  testing::Harness* harness_;
  std::unique_ptr<testing::Socket> socket_;
  std::string unread_;
  bool ended_ = false;
};

}  // namespace volt::http
