// SPDX-License-Identifier: MIT

// Call: one request on a connection, and its response. Sending and receiving are interleaved: otherwise both ends could
// wait for each other with full buffers.
//
// Threads: the test's thread. Lifetime: must not outlive the Harness. Errors: TestFailure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/message/method.h"
#include "http/testing/cookies.h"
#include "http/testing/internal/harness.h"
#include "http/testing/internal/response_reader.h"
#include "http/testing/internal/socket.h"

namespace volt::http::testing {

struct WireRequest {
  Method method = Method::get;
  std::string name;  // for error messages: "GET /items"
  std::string head;
  std::string body;
  bool awaits_continue = false;          // the body waits for a 100 (RFC 9110 section 10.1.1)
  std::shared_ptr<TestCookies> cookies;  // stores the cookies of the response; null: they are ignored
  CookieTarget cookie_target;
};

class Call {
 public:
  // Sends the part of the request that the server accepts at once.
  Call(Harness& harness, WireRequest request);

  // await_head() and await_all() block, and throw TestFailure if the connection ends first.
  void await_head();
  void await_all();
  // Blocks until more of the body, or its end, or the connection's end has been received.
  void await_more();

  // Sends and receives as much as possible without waiting. Returns true if bytes were transferred.
  bool step();

  ResponseReader& reader() noexcept { return reader_; }
  // Returns whether the response is complete, or the connection has ended before.
  bool over() const noexcept { return reader_.done() || reader_.cut_off(); }
  void close() noexcept;

  Harness& harness() noexcept { return harness_; }
  // The connection, for use after a 101.
  Socket& socket() noexcept { return socket_; }

 private:
  bool send_some() noexcept;
  void try_send();
  bool receive_some();
  void finish();
  void receive_cookies(const TestResponse& response);
  [[noreturn]] void fail(std::string_view what) const;
  void wait();

  Harness& harness_;
  const std::string name_;
  Socket socket_;
  std::string out_;
  std::string_view unsent_;  // the part of out_ that was not sent
  std::string held_body_;    // the body, until a 100 is received
  bool refused_ = false;     // the server closed the connection before it had accepted the whole request
  ResponseReader reader_;
  const std::shared_ptr<TestCookies> cookies_;
  const CookieTarget cookie_target_;
};

}  // namespace volt::http::testing
