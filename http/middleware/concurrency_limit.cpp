#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http/middleware/internal/turnstile.h"
#include "http/middleware/limits.h"
#include "http/web/problem.h"

namespace volt::http {
namespace {

using middleware::Turnstile;

class LimitConcurrency {
 public:
  explicit LimitConcurrency(const ConcurrencyLimitOptions& options)
      : retry_after_(options.retry_after),
        turnstile_(std::make_unique<Turnstile>(middleware::TurnstileOptions{
            .inside_max = options.running_max, .waiting_max = options.waiting_max, .wait_max = options.wait_max})) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<Turnstile::Pass> pass = turnstile_->try_enter();
    if (pass) co_return co_await next(request);
    auto entering = turnstile_->enter_later();
    const std::optional<Turnstile::Pass> late_pass = co_await std::move(entering);
    if (late_pass) co_return co_await next(request);
    co_return unavailable("too many requests are being answered").retry_after(retry_after_).to_response(request.id());
  }

 private:
  std::chrono::milliseconds retry_after_;
  std::unique_ptr<Turnstile> turnstile_;
};

}  // namespace

Middleware concurrency_limit(ConcurrencyLimitOptions options) {
  if (options.running_max < 1) throw std::invalid_argument("concurrency_limit: running_max is at least 1");
  return Middleware(LimitConcurrency(options));
}

}  // namespace volt::http
