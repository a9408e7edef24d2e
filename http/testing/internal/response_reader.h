// Puts one response together from what a connection received.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/http1/response_decoder.h"
#include "http/message/method.h"
#include "http/testing/internal/response.h"

namespace volt::http::testing {

class ResponseReader {
 public:
  // To a request of that method.
  explicit ResponseReader(Method method) noexcept;

  // More bytes, decoded at once. Throws TestFailure for what is no response.
  void feed(std::string_view bytes);
  // No more will come.
  void end() noexcept;

  bool has_head() const noexcept { return has_head_; }
  bool done() const noexcept { return done_; }
  // The connection ended first.
  bool cut_off() const noexcept { return cut_off_; }
  // A 100 has come.
  bool continue_received() const noexcept { return continue_received_; }

  // What is known of it so far.
  const TestResponse& response() const noexcept { return response_; }
  TestResponse take() noexcept { return std::move(response_); }
  // The body's bytes so far, which are then forgotten.
  std::string take_body() noexcept { return std::exchange(response_.body_, {}); }
  // Once done: what came behind the response.
  std::string take_rest() noexcept { return std::exchange(unread_, {}); }

 private:
  std::size_t decode_head(std::string_view bytes);
  std::size_t decode_body(std::string_view bytes);

  http1::ResponseDecoder decoder_;
  TestResponse response_;
  std::string unread_;
  bool has_head_ = false;
  bool done_ = false;
  bool cut_off_ = false;
  bool continue_received_ = false;
};

}  // namespace volt::http::testing
