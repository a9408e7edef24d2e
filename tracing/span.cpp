// SPDX-License-Identifier: MIT

#include "tracing/span.h"

#include <exception>

#include "runtime/base/check.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"

namespace volt::tracing {
namespace {

sched::TaskHeader* current_task() noexcept {
  const sched::Context* const context = sched::current();
  return context != nullptr ? context->task : nullptr;
}

}  // namespace

ActiveSpan* current_span() noexcept {
  const sched::TaskHeader* const task = current_task();
  return task != nullptr ? task->span : nullptr;
}

void ActiveSpan::enter(Tracer& tracer, const SpanContext& context, std::string_view trace_state,
                       OpenSpan* open) noexcept {
  tracer_ = &tracer;
  context_ = context;
  trace_state_ = trace_state;
  open_ = open;
  task_ = current_task();
  if (task_ == nullptr) return;
  outer_ = task_->span;
  task_->span = this;
}

// Spans usually end in the reverse order. Those of a generator may not, because the coroutine that it yields to begins
// and ends spans between its resumptions.
void ActiveSpan::leave() noexcept {
  if (task_ == nullptr) return;
  VOLT_REQUIRE(task_ == current_task(),
               "a Span was ended by another task than the one that began it: make each Span a local variable, and pass "
               "span.context() to other tasks");
  ActiveSpan** link = &task_->span;
  while (*link != this && *link != nullptr && (*link)->task_ == task_) link = &(*link)->outer_;
  if (*link == this) *link = outer_;
  task_ = nullptr;
}

Span::Span(std::string_view name, SpanKind kind) {
  const ActiveSpan* const outer = current_span();
  if (outer == nullptr || !outer->recording()) return;
  Tracer& tracer = outer->tracer();
  const SpanContext context = tracer.begin_child(outer->context());
  own_ = std::make_unique<OpenSpan>(tracer, context, name, kind);
  own_->set_parent(outer->context().span_id, false);
  own_->set_trace_state(outer->trace_state());
  enter(tracer, context, outer->trace_state(), own_.get());
}

Span::Span(Tracer& tracer, std::string_view name, SpanKind kind, const SpanContext* parent) {
  const SpanContext context = tracer.begin(parent);
  if (context.sampled) {
    own_ = std::make_unique<OpenSpan>(tracer, context, name, kind);
    if (parent != nullptr) own_->set_parent(parent->span_id, false);
  }
  enter(tracer, context, {}, own_.get());
}

void Span::end() noexcept {
  leave();
  if (own_ == nullptr) return;
  if (std::uncaught_exceptions() != 0) own_->set_exception_status();
  stop_recording();
  own_.reset();
}

}  // namespace volt::tracing
