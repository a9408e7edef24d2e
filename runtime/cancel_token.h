// SPDX-License-Identifier: MIT

// CancelSource, CancelToken: a request to stop, for tasks and code that are not children of one scope.
//
//   CancelSource stop;
//   spawn(consume, stop.token());               // auto chosen = co_await select(inbox.receive(), token.cancelled());
//   CancelSource part(stop.token());                    // cancelled with its parent, or separately
//   const CancelCallback wake_it(token, [&] { queue.close(); });    // cancel() calls it once
//   stop.cancel();
//
// A token is only a request: its holder polls cancel_requested(), awaits cancelled() or registers a callback. To cancel
// a task itself, use JoinHandle::cancel() or a scope; a token lets its holder choose when to stop.
//
// Threads: any. A callback runs on the thread that cancels, or immediately on the registering thread if the source was
// already cancelled. A callback must not throw. The destructor of a CancelCallback waits for a call that is running on
// another thread.
// Fairness: cancel() wakes all waiters and calls all callbacks, one after the other, before it returns.
// Cancellation: a cancelled task that awaits a token gets Cancelled from that await.
// Memory: about 100 bytes for each source, allocated once; waiting and callbacks allocate nothing.
// Lifetime: a token may outlive its source, and a child source may outlive its parent.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "runtime/sched/select_wait.h"

namespace volt {

// The counterpart of std::stop_callback for a CancelToken.
template <class F>
class CancelCallback;

class CancelToken {
 public:
  class Cancelling;

  [[nodiscard]] bool cancel_requested() const noexcept { return token().stop_requested(); }
  // Awaited: returns when the source is cancelled.
  [[nodiscard]] Cancelling cancelled() const noexcept;
  // Returns the std::stop_token of the source, for APIs of the standard library.
  [[nodiscard]] std::stop_token token() const noexcept { return state_->source.get_token(); }

 private:
  friend class CancelSource;

  struct Forward {
    std::stop_source child;
    void operator()() noexcept { child.request_stop(); }
  };
  struct State {
    std::stop_source source;
    std::shared_ptr<State> parent;  // kept alive so that a cancel of any ancestor reaches this source
    std::optional<std::stop_callback<Forward>> link;
  };

  explicit CancelToken(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

class CancelSource {
 public:
  CancelSource() : state_(std::make_shared<CancelToken::State>()) {}
  // Creates a child source, which is cancelled when `parent` is cancelled.
  explicit CancelSource(const CancelToken& parent) : CancelSource() {
    state_->parent = parent.state_;
    state_->link.emplace(parent.token(), CancelToken::Forward{state_->source});
  }

  [[nodiscard]] CancelToken token() const noexcept { return CancelToken(state_); }
  // Cancels the source. Returns false if it was already cancelled.
  bool cancel() const noexcept { return std::stop_source(state_->source).request_stop(); }
  [[nodiscard]] bool cancel_requested() const noexcept { return state_->source.stop_requested(); }

 private:
  std::shared_ptr<CancelToken::State> state_;
};

class CancelToken::Cancelling final : public sched::Suspension {
 public:
  explicit Cancelling(std::stop_token token) noexcept : token_(std::move(token)) {}

  [[nodiscard]] bool await_ready() noexcept { return begin() || (token_.stop_requested() && !budget_exhausted()); }
  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::cancel);
    if (!token_.stop_requested()) {
      registered_.emplace(token_, Call{*this});  // may call, and wake this task before it suspends
    } else {
      yield_at(point);
    }
    return true;
  }
  void await_resume() {
    registered_.reset();
    throw_if_cancelled();
  }
  [[nodiscard]] bool cancel() noexcept override {
    registered_.reset();  // waits for a running call
    if (called_) return false;
    set_cancelled();
    return true;
  }

  // Starts this wait as a branch of a select(); returns true if the branch was served at once.
  [[nodiscard]] bool start_branch() noexcept {
    if (token_.stop_requested()) return claim();
    registered_.emplace(token_, Call{*this});
    return false;
  }
  void leave() noexcept { registered_.reset(); }

 private:
  struct Call {
    Cancelling& waiter;
    void operator()() noexcept {
      waiter.called_ = waiter.claim();
      if (waiter.called_) sched::wake(*waiter.task);
    }
  };

  std::stop_token token_;
  std::optional<std::stop_callback<Call>> registered_;
  bool called_ = false;  // read only after `registered_` was reset
};

inline CancelToken::Cancelling CancelToken::cancelled() const noexcept { return Cancelling(token()); }

template <class F>
class CancelCallback {
 public:
  CancelCallback(const CancelToken& token, F function) : callback_(token.token(), std::move(function)) {}

 private:
  std::stop_callback<F> callback_;
};

}  // namespace volt
