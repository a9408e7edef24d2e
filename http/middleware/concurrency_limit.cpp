// SPDX-License-Identifier: MIT

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "http/middleware/limits.h"
#include "http/web/problem.h"
#include "runtime/semaphore.h"

namespace volt::http {
namespace {

class LimitConcurrency {
 public:
  explicit LimitConcurrency(const ConcurrencyLimitOptions& options)
      : wait_max_(options.wait_max),
        retry_after_(options.retry_after),
        running_(std::make_unique<Semaphore>(options.running_max, queue_bound(options))) {}

  Task<Response> operator()(Request& request, Next next) {
    const Result<Semaphore::Permit> permit = co_await running_->acquire_within(wait_max_);
    if (permit) co_return co_await next(request);
    co_return unavailable("too many requests are in progress").retry_after(retry_after_).to_response(request.id());
  }

 private:
  static SemaphoreOptions queue_bound(const ConcurrencyLimitOptions& options) noexcept {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    return {.waiting_max = static_cast<std::uint32_t>(std::min(options.waiting_max, kMost))};
  }

  std::chrono::nanoseconds wait_max_;
  std::chrono::milliseconds retry_after_;
  std::unique_ptr<Semaphore> running_;  // has a permit for each request that may run
};

}  // namespace

Middleware concurrency_limit(ConcurrencyLimitOptions options) {
  if (options.running_max < 1) throw std::invalid_argument("concurrency_limit: running_max must be at least 1");
  return Middleware(LimitConcurrency(options));
}

}  // namespace volt::http
