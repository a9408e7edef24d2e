// SPDX-License-Identifier: MIT

// MultipartReader: reads the parts of a request's body as they arrive.
//
// Threads: the request's task. Lifetime: must not outlive the request. Errors: Problems, and the exceptions of
// BodySource.
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
  // Throws a Problem: 415 if the body is not multipart/form-data, or 400 if its boundary is malformed.
  explicit MultipartReader(Request& request);

  // Sets the limits of the form. Must be called before the first part is read.
  void limit(const MultipartLimits& limits);

  // Skips the rest of the current part and advances to the next one. Returns false after the last part.
  [[nodiscard]] Task<bool> next_part();
  // Returns the next piece of the part's content. Returns nullopt at the end of the part, and if there is no part. The
  // view is valid until the next call.
  [[nodiscard]] Task<std::optional<std::string_view>> next_piece();

  [[nodiscard]] const MultipartPart& part() const noexcept { return parser_.part(); }

 private:
  [[nodiscard]] Task<MultipartStep> advance();
  void count(std::size_t bytes);

  Request& request_;
  const std::string boundary_;
  MultipartParser parser_;
  std::string_view bytes_;  // Received bytes that have not been parsed.
  std::uint64_t body_bytes_ = 0;
  std::uint64_t body_bytes_max_ = std::numeric_limits<std::uint64_t>::max();
  bool in_part_ = false;
};

}  // namespace volt::http::multipart
