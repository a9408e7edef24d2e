// SPDX-License-Identifier: MIT

#include "http/message/trace_context.h"

#include <optional>
#include <utility>

#include "http/middleware/observe.h"

namespace volt::http {
namespace {

class FollowTrace {
 public:
  explicit FollowTrace(TraceOptions options) noexcept : options_(options) {}

  Task<Response> operator()(Request& request, Next next) {
    request.set_trace_id(request.put(context_of(request)).parent.trace_id);
    co_return co_await next(request);
  }

 private:
  TraceContext context_of(const Request& request) const {
    std::optional<TraceContext> received = message::trace_context(request.headers());
    if (!received) return {.parent = message::TraceParent::start(options_.sample), .state = {}};
    received->parent = received->parent.child();
    return *std::move(received);
  }

  TraceOptions options_;
};

}  // namespace

Middleware trace_context(TraceOptions options) { return provide<TraceContext>(Middleware(FollowTrace(options))); }

}  // namespace volt::http
