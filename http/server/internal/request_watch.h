// SPDX-License-Identifier: MIT

// RequestWatch: while it exists, the task that serves a request is cancelled when the client hangs up.
//
// A reset always counts as a hangup. A FIN (the client has closed its sending side) counts if
// ServerOptions::half_close_cancels is set, because most clients that give up merely close. It does not count while the
// client may still be read from: before the whole body has been received, and if another request has been received
// after this one.
//
// Threads: those of the connection's task and its children. Lifetime: in the frame of the task that it may cancel,
// within the lifetimes of the channel and of the request context.
#pragma once

#include <optional>

#include "http/server/internal/io_channel.h"
#include "http/server/options.h"
#include "http/server/server_state.h"
#include "runtime/tasks.h"

namespace volt::http::server {

class RequestWatch {
 public:
  // If `counts_half_close` is false, a FIN counts only after count_half_close().
  RequestWatch(IoChannel& io_channel, const RequestContextLease& context, const ServerOptions& options,
               bool counts_half_close)
      : channel_(io_channel), context_(context), half_close_cancels_(options.half_close_cancels) {
    counts_half_close_ = counts_half_close && half_close_may_count();
    watch_.emplace(channel_, counts_half_close_ ? net::Hangup::half : net::Hangup::full);
  }
  RequestWatch(const RequestWatch&) = delete;
  RequestWatch& operator=(const RequestWatch&) = delete;

  // From now on, a FIN counts as a hangup, unless the client may still be read from. Must be called again when more of
  // the body has been received. Does nothing in a child of the connection's task, which cannot watch on behalf of its
  // parent.
  void count_half_close() {
    if (counts_half_close_ || !half_close_may_count() || this_task_id() != task_) return;
    counts_half_close_ = true;
    watch_.reset();
    watch_.emplace(channel_, net::Hangup::half);
  }

  [[nodiscard]] bool counts_half_close() const noexcept { return counts_half_close_; }

 private:
  [[nodiscard]] bool half_close_may_count() const noexcept {
    return half_close_cancels_ && context_->body_done() && !context_->has_rest();
  }

  // A HangupWatch can neither be copied nor moved.
  struct Watching {
    Watching(IoChannel& io_channel, net::Hangup when) : watch(io_channel.cancel_on_hangup(when)) {}
    const net::HangupWatch watch;
  };

  IoChannel& channel_;
  const RequestContextLease& context_;
  const TaskId task_ = this_task_id();
  const bool half_close_cancels_;
  bool counts_half_close_ = false;
  std::optional<Watching> watch_;
};

}  // namespace volt::http::server
