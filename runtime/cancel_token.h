// CancelSource, CancelToken: a request to stop, for tasks and code that are not one scope's children.
//
//   CancelSource stop;
//   spawn(consume, stop.token());                       // auto chosen = co_await select(inbox.receive(), token.cancelled());
//   CancelSource part(stop.token());                    // cancelled with its parent, or by itself
//   const CancelCallback wake_it(token, [&] { queue.close(); });    // called once, by whoever cancels; until it goes
//   stop.cancel();
//
// Asking is all that a token does: who holds one looks (cancel_requested()), awaits it or is called. To cancel a task
// there are JoinHandle::cancel() and scopes; a token says "stop when it suits you".
//
// Threads: any. A callback runs on the thread that cancels, or at once on the one that registers it if that was before; it
// must not throw. The end of a CancelCallback waits for a call that is under way on another thread.
// Fairness: cancel() wakes all who wait, and calls all callbacks, one after the other, before it returns.
// Cancellation of a task that awaits a token: throws Cancelled.
// Memory: about 100 bytes a source, allocated once; waiting and callbacks allocate nothing.
// Lifetime: tokens may outlive their source, and a child its parent.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "runtime/sched/select_wait.h"

namespace volt {

// As std::stop_callback, for a CancelToken.
template <class F>
class CancelCallback;

class CancelToken {
 public:
  class Cancelling;

  [[nodiscard]] bool cancel_requested() const noexcept { return token().stop_requested(); }
  // Awaited: over when it is cancelled.
  [[nodiscard]] Cancelling cancelled() const noexcept;
  // For what speaks the standard's language.
  [[nodiscard]] std::stop_token token() const noexcept { return state_->source.get_token(); }

 private:
  friend class CancelSource;

  struct Forward {
    std::stop_source child;
    void operator()() noexcept { child.request_stop(); }
  };
  struct State {
    std::stop_source source;
    std::shared_ptr<State> parent;  // lives as long: so that its parents pass on what they are told
    std::optional<std::stop_callback<Forward>> link;
  };

  explicit CancelToken(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

class CancelSource {
 public:
  CancelSource() : state_(std::make_shared<CancelToken::State>()) {}
  // A child: cancelled when `parent` is.
  explicit CancelSource(const CancelToken& parent) : CancelSource() {
    state_->parent = parent.state_;
    state_->link.emplace(parent.token(), CancelToken::Forward{state_->source});
  }

  [[nodiscard]] CancelToken token() const noexcept { return CancelToken(state_); }
  // False if it was cancelled before.
  bool cancel() const noexcept { return std::stop_source(state_->source).request_stop(); }
  [[nodiscard]] bool cancel_requested() const noexcept { return state_->source.stop_requested(); }

 private:
  std::shared_ptr<CancelToken::State> state_;
};

class CancelToken::Cancelling final : public sched::Suspension {
 public:
  explicit Cancelling(std::stop_token token) noexcept : token_(std::move(token)) {}

  [[nodiscard]] bool await_ready() noexcept { return begin() || (token_.stop_requested() && !budget_exhausted()); }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
    suspend_at(frame, WaitsFor::cancel);
    if (!token_.stop_requested()) {
      registered_.emplace(token_, Call{*this});  // may call, and wake this task before it suspends
    } else {
      yield_at(frame);
    }
    return true;
  }
  void await_resume() {
    registered_.reset();
    throw_if_cancelled();
  }
  [[nodiscard]] bool cancel() noexcept override {
    registered_.reset();  // waits for a call that is under way
    if (called_) return false;
    set_cancelled();
    return true;
  }

  // As a branch of a select().
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
  bool called_ = false;  // read when `registered_` has gone
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
