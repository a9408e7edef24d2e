// Puts one answer together from what a connection received.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/http1/response_decoder.h"
#include "http/message/method.h"
#include "http/testing/internal/answer.h"

namespace volt::http::testing {

class AnswerReader {
 public:
  // To a request of that method.
  explicit AnswerReader(Method method) noexcept;

  // More bytes, decoded at once. Throws TestFailure for what is no answer.
  void feed(std::string_view bytes);
  // No more will come.
  void end() noexcept;

  bool has_head() const noexcept { return has_head_; }
  bool done() const noexcept { return done_; }
  // The connection ended first.
  bool cut_off() const noexcept { return cut_off_; }
  // A 100 has come.
  bool promised() const noexcept { return promised_; }

  // What is known of it so far.
  const TestAnswer& answer() const noexcept { return answer_; }
  TestAnswer take() noexcept { return std::move(answer_); }
  // The body's bytes so far, which are then forgotten.
  std::string take_body() noexcept { return std::exchange(answer_.body_, {}); }
  // Once done: what came behind the answer.
  std::string take_rest() noexcept { return std::exchange(unread_, {}); }

 private:
  std::size_t decode_head(std::string_view bytes);
  std::size_t decode_body(std::string_view bytes);

  http1::ResponseDecoder decoder_;
  TestAnswer answer_;
  std::string unread_;
  bool has_head_ = false;
  bool done_ = false;
  bool cut_off_ = false;
  bool promised_ = false;
};

}  // namespace volt::http::testing
