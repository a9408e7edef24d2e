// SPDX-License-Identifier: MIT

// RequestContextPool: the RequestContexts that a worker keeps for its next requests.
//
// A pool is a stack: it gives out the context that was returned last. The contexts at its bottom, as many as were left
// when it was shortest, have not been used since then. put() frees those every kSurplusInterval. Otherwise memory would
// grow for hours: a connection that moves takes its context from the pool of one worker and returns it to that of
// another one, so contexts would gather in some pools, up to their bounds, while other workers create new ones.
//
// Bounds: kContextsMax contexts and kBytesMax bytes. The pool of a worker that has become idle keeps what it has.
//
// Threads: belongs to one worker.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "http/server/internal/request_context.h"

namespace volt::http::server {

class RequestContextPool {
 public:
  // A context that is returned to a pool that has reached a bound is freed. A context that has not grown takes some
  // 12 KiB, one with the largest strings that it keeps 200 KiB.
  static constexpr std::size_t kContextsMax = 256;
  static constexpr std::size_t kBytesMax = 4 * 1024 * 1024;
  static constexpr auto kSurplusInterval = std::chrono::seconds(10);

  RequestContextPool() { contexts_.reserve(kContextsMax); }

  // Returns null if the pool is empty.
  [[nodiscard]] std::unique_ptr<RequestContext> take() noexcept;
  // `now` is the monotonic time.
  void put(std::unique_ptr<RequestContext> context, std::chrono::nanoseconds now) noexcept;
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return contexts_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  void free_surplus(std::chrono::nanoseconds now) noexcept;

  std::vector<std::unique_ptr<RequestContext>> contexts_;
  std::size_t bytes_ = 0;    // of all contexts
  std::size_t surplus_ = 0;  // the length of the stack when it was shortest since the last free_surplus()
  std::chrono::nanoseconds next_free_{0};
};

}  // namespace volt::http::server
