// Call: one request on a connection, and what comes of it. Sending and receiving go on side by side, so neither end waits
// for the other with both buffers full.
//
// Threads: the test's. Lifetime: within the Harness's. Errors: TestFailure.
#pragma once

#include <string>
#include <string_view>

#include "http/message/method.h"
#include "http/testing/internal/harness.h"
#include "http/testing/internal/response_reader.h"
#include "http/testing/internal/socket.h"

namespace volt::http::testing {

struct WireRequest {
  Method method = Method::get;
  std::string name;  // for messages: "GET /items"
  std::string head;
  std::string body;
  bool awaits_continue = false;  // the body waits for a 100 (RFC 9110 section 10.1.1)
};

class Call {
 public:
  // Sends as much as the server takes without being answered.
  Call(Harness& harness, WireRequest request);

  // Each waits. Throws TestFailure if the connection ends first.
  void await_head();
  void await_all();
  // For more of the body, or its end, however that comes.
  void await_more();

  // Does what can be done without waiting. True if something moved.
  bool step();

  ResponseReader& reader() noexcept { return reader_; }
  // Nothing more will come.
  bool over() const noexcept { return reader_.done() || reader_.cut_off(); }
  void close() noexcept;

  Harness& harness() noexcept { return harness_; }
  // After 101: the connection.
  Socket& socket() noexcept { return socket_; }

 private:
  bool send_some() noexcept;
  void try_send();
  bool receive_some();
  void finish();
  [[noreturn]] void fail(std::string_view what) const;
  void wait();

  Harness& harness_;
  const std::string name_;
  Socket socket_;
  std::string out_;
  std::string_view unsent_;  // of out_
  std::string held_body_;    // until it is continue_received to be read
  bool refused_ = false;     // the server took not all of it
  ResponseReader reader_;
};

}  // namespace volt::http::testing
