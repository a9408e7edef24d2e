// MultipartReader: the parts of a request's body, as they come.
//
// Threads: the request's task. Lifetime: not beyond the request. Errors: Problems, and what BodySource throws.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "http/multipart/internal/multipart_parser.h"
#include "http/web/request.h"
#include "runtime/task.h"

namespace volt::http::multipart {

class MultipartReader {
 public:
  // Throws a Problem: 415 if the body is no form of that kind, 400 if its boundary is malformed.
  explicit MultipartReader(Request& request);

  // Before the first part.
  void limit(const MultipartLimits& limits);

  // False behind the last part. What is left of the part before is skipped.
  [[nodiscard]] Task<bool> next_part();
  // Of the part's content; empty at its end, and where there is no part. Valid until the next call.
  [[nodiscard]] Task<std::optional<std::string_view>> next_piece();

  [[nodiscard]] const MultipartPart& part() const noexcept { return parser_.part(); }

 private:
  [[nodiscard]] Task<MultipartStep> advance();
  void count(std::size_t bytes);

  Request& request_;
  const std::string boundary_;
  MultipartParser parser_;
  std::string_view bytes_;  // that came and were not parsed yet
  std::uint64_t body_bytes_ = 0;
  std::uint64_t body_bytes_max_ = std::numeric_limits<std::uint64_t>::max();
  bool in_part_ = false;
};

}  // namespace volt::http::multipart
