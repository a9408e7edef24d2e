// SPDX-License-Identifier: MIT

// LogContext: what a task works on. It adds fields to each line that the task logs, such as the id of a request. It is
// asked only when a line is written, so a task that logs nothing pays nothing for it.
//
// The tasks that a task starts and waits for have its context too: those of Scope, all(), race() and within(), the
// callables of blocking(), and the functions of fork(). A task of spawn() has none, because it may outlive the context.
//
// Threads: add_fields() may be called by several threads at once. Lifetime: a context must exist until the task for
// which it was set, and every task that has it, are done or have another one.
#pragma once

#include <string_view>

#include "runtime/log.h"

namespace volt {

class LogContext {
 public:
  // Takes the fields of a context.
  class Fields {
   public:
    // Adds a field to the line. A text must be valid until this returns.
    virtual void add(std::string_view name, const LogValue& value) noexcept = 0;

   protected:
    ~Fields() = default;
  };

  virtual void add_fields(Fields& fields) const noexcept = 0;

 protected:
  ~LogContext() = default;
};

// Sets the context of the calling task; null: none. Must be called in a task.
void set_log_context(const LogContext* context) noexcept;

// Returns the context of the calling task, or of the task that awaits the calling callable of blocking(); null if there
// is none.
[[nodiscard]] const LogContext* current_log_context() noexcept;

}  // namespace volt
