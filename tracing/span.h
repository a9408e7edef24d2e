// SPDX-License-Identifier: MIT

// Span: a piece of work that a trace shows, with its name, time and attributes.
//
//   Task<Response> show(Request& request) {
//     tracing::Span span("render");                       // a child of the current span: that of the request
//     span.set({"page.items", 20});
//     const std::string page = render(co_await load());   // queries and client requests become children of "render"
//     co_return page;
//   }                                                     // the span ends here
//
// Each task has a current span: the innermost Span that it has begun and not ended. The middleware trace_requests()
// begins the first one of a request. `Span(name)` begins a child of the current span; if there is none, or its trace is
// not sampled, it does nothing and allocates nothing. A span that an exception ends has the status `error`.
//
// The tasks of all(), race(), within() and of a Scope begin with the current span of the task that awaits them. A task
// of spawn() may outlive that span, so it begins without one. To continue the trace there, pass it span.context() and
// begin a `Span(tracer, name, kind, context)`.
//
// Threads: a Span belongs to the task that began it; its functions may be called by the children of that task, too.
// Lifetime: a Span must be a local variable of a coroutine or a function; the task that began it must end it.
//
// Rejected: to pass spans through the Request. Functions that get no request, such as those that query a database,
// would have to take one, and the client and the pool could not find the span by themselves. Rejected: a context that
// is copied into every task, because each connection would carry the 40 bytes. The slot of a task is one pointer, which
// is safe because a task and its children end before the span that it points to.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>

#include "tracing/open_span.h"
#include "tracing/span_context.h"
#include "tracing/span_data.h"
#include "tracing/tracer.h"

namespace volt::sched {
struct TaskHeader;
}

namespace volt::tracing {

// Makes a span the current one of the calling task until it is destroyed.
class ActiveSpan {
 public:
  // `open` is null if the trace is not sampled: the context is still passed to other services. `open` and `trace_state`
  // must outlive this object. Outside a task the span becomes current nowhere.
  ActiveSpan(Tracer& tracer, const SpanContext& context, std::string_view trace_state, OpenSpan* open) noexcept {
    enter(tracer, context, trace_state, open);
  }
  ~ActiveSpan() { leave(); }
  ActiveSpan(const ActiveSpan&) = delete;
  ActiveSpan& operator=(const ActiveSpan&) = delete;

  // Whether the span is recorded. If not, the functions that add to it do nothing.
  [[nodiscard]] bool recording() const noexcept { return open_ != nullptr; }
  [[nodiscard]] const SpanContext& context() const noexcept { return context_; }
  // Returns the value of tracestate that came with the trace. Valid as long as the first span of this process.
  [[nodiscard]] std::string_view trace_state() const noexcept { return trace_state_; }
  [[nodiscard]] Tracer& tracer() const noexcept { return *tracer_; }

  // Replaces the name. Names should not contain ids and other values that are different for each request.
  void rename(std::string_view name) noexcept {
    if (open_ != nullptr) open_->rename(name);
  }
  // Sets an attribute, or replaces its value: span.set({"user.plan", "free"}).
  void set(const Attribute& attribute) noexcept {
    if (open_ != nullptr) open_->set(attribute);
  }
  // Adds an event, with the current time.
  void event(std::string_view name, std::initializer_list<Attribute> attributes = {}) noexcept {
    if (open_ != nullptr) open_->add_event(name, attributes);
  }
  // Sets the status `error`; `message` is for developers.
  void fail(std::string_view message) noexcept {
    if (open_ != nullptr) open_->set_status(SpanStatus::error, message);
  }
  // Sets the status `ok`, which says that the work succeeded, whatever its parts report.
  void succeed() noexcept {
    if (open_ != nullptr) open_->set_status(SpanStatus::ok, {});
  }

 protected:
  ActiveSpan() noexcept = default;  // a span that is not recorded, and not current
  void enter(Tracer& tracer, const SpanContext& context, std::string_view trace_state, OpenSpan* open) noexcept;
  void leave() noexcept;
  void stop_recording() noexcept { open_ = nullptr; }

 private:
  sched::TaskHeader* task_ = nullptr;  // the task whose current span it is, or was; null if it is of none
  ActiveSpan* outer_ = nullptr;        // the current span before
  Tracer* tracer_ = nullptr;
  OpenSpan* open_ = nullptr;
  SpanContext context_;
  std::string_view trace_state_;
};

// Returns the current span of the calling task; null if there is none, and outside a task.
[[nodiscard]] ActiveSpan* current_span() noexcept;

class Span : public ActiveSpan {
 public:
  // Begins a child of the current span. Throws std::bad_alloc, if it is recorded.
  explicit Span(std::string_view name, SpanKind kind = SpanKind::internal);
  // Begins a child of `parent`, or a new trace if `parent` is null, whatever the current span is.
  Span(Tracer& tracer, std::string_view name, SpanKind kind = SpanKind::internal, const SpanContext* parent = nullptr);
  ~Span() { end(); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // Ends the span before its destructor does. The span before it becomes current again.
  void end() noexcept;

 private:
  std::unique_ptr<OpenSpan> own_;  // null: not recorded
};

}  // namespace volt::tracing
