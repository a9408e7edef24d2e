// SPDX-License-Identifier: MIT

// ResponseReader: composes one response from the bytes that a connection received.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/http1/response_decoder.h"
#include "http/message/method.h"
#include "http/testing/response.h"

namespace volt::http::testing {

class ResponseReader {
 public:
  // `method`: the request's method.
  explicit ResponseReader(Method method) noexcept;

  // Decodes more bytes. Throws TestFailure for an invalid response.
  void feed(std::string_view bytes);
  // Must be called when the connection has ended.
  void end() noexcept;

  bool has_head() const noexcept { return has_head_; }
  bool done() const noexcept { return done_; }
  // Returns whether the connection ended before the response did.
  bool cut_off() const noexcept { return cut_off_; }
  // Returns whether a 100 was received.
  bool continue_received() const noexcept { return continue_received_; }

  // The part of the response that has been received.
  const TestResponse& response() const noexcept { return response_; }
  TestResponse take() noexcept { return std::move(response_); }
  // Returns the body's bytes so far, and removes them from the response.
  std::string take_body() noexcept { return std::exchange(response_.body_, {}); }
  // Returns the bytes that were received after the response, which must be complete.
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
