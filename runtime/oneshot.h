// oneshot: one value from one task to another.
//
//   auto [sender, receiver] = oneshot<Reply>();
//   std::move(sender).send(Reply{...});                            // any thread, never waits
//   std::optional<Reply> reply = co_await receiver.receive();      // none: the sender went without sending
//
// Threads: an end may be moved to another thread, and is used by one task or thread at a time.
// Cancellation: a receive() that is cancelled, or loses a select(), takes nothing: the next one still gets the value.
// Memory: the value and 24 bytes, allocated once; waiting allocates nothing. Lifetime: the state is
// freed with the end that goes last, and may outlive its Runtime. The receiver stays put while it waits.
//
// Edges
//   O1  send's change of state  ->  the receiver's look : the value
//   O2  the receiver's change of state to waiting  ->  send : whom to wake
//   O3  the receiver's leaving  ->  send : nobody looks any more
//   O4  send has done with a branch that it could not claim  ->  the branch's leaving
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/spin_lock.h"
#include "runtime/sched/select_wait.h"

namespace volt {
namespace sync {

template <class T>
class OneshotState {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  class Receiving;

  OneshotState() = default;
  OneshotState(const OneshotState&) = delete;
  OneshotState& operator=(const OneshotState&) = delete;

  // The sender's end: with a value or without. False if the receiver has gone; then the state has too.
  bool finish(std::optional<T>&& value) noexcept {
    if (value) value_.emplace(*std::move(value));
    const std::uint32_t before = bits_.fetch_or(kSent, base::acq_rel);  // O1 O2 O3
    if ((before & kReceiverGone) != 0) {
      delete this;
      return false;
    }
    if ((before & kWaiting) != 0) tell();
    return true;
  }

  void drop_receiver() noexcept {
    if (finished() || (bits_.fetch_or(kReceiverGone, base::acq_rel) & kSent) != 0) delete this;  // O3
  }

  // A value, or the end.
  [[nodiscard]] bool finished() const noexcept { return (bits_.load(base::acquire) & kSent) != 0; }  // O1
  [[nodiscard]] bool receiver_gone() const noexcept {
    return (bits_.load(base::relaxed) & kReceiverGone) != 0;  // relaxed: a flag that carries no data
  }
  [[nodiscard]] std::optional<T> take() noexcept { return std::exchange(value_, std::nullopt); }

  // False: it has come meanwhile.
  [[nodiscard]] bool start_wait(sched::Suspension& receiver) noexcept {
    receiver_ = &receiver;
    return (bits_.fetch_or(kWaiting, base::acq_rel) & kSent) == 0;  // O1 O2
  }
  // False: it has come, and the waiter is being told.
  [[nodiscard]] bool stop_wait() noexcept {
    return (bits_.fetch_and(~kWaiting, base::acq_rel) & kSent) == 0;  // O1 O2
  }
  // For a branch that was not served, after stop_wait() was false.
  void await_told() const noexcept {
    for (base::SpinWait wait; (bits_.load(base::acquire) & kTold) == 0;) wait.pause();  // O4
  }

 private:
  // From here on the receiver may free the state, once it is woken.
  void tell() noexcept {
    if (receiver_->claim()) {
      sched::wake(*receiver_->task);
    } else {
      bits_.fetch_or(kTold, base::acq_rel);  // O4
    }
  }

  static constexpr std::uint32_t kSent = 1;
  static constexpr std::uint32_t kWaiting = 2;
  static constexpr std::uint32_t kReceiverGone = 4;
  static constexpr std::uint32_t kTold = 8;

  base::Atomic<std::uint32_t> bits_{0};
  sched::Suspension* receiver_ = nullptr;  // valid while kWaiting
  std::optional<T> value_;
};

template <class T>
class OneshotState<T>::Receiving final : public sched::Suspension {
 public:
  explicit Receiving(OneshotState& state) noexcept : state_(state) {}

  [[nodiscard]] bool await_ready() noexcept { return begin() || (state_.finished() && !budget_exhausted()); }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
    suspend_at(frame, WaitsFor::oneshot);
    if (!state_.finished()) return state_.start_wait(*this);
    yield_at(frame);
    return true;
  }
  [[nodiscard]] std::optional<T> await_resume() {
    throw_if_cancelled();
    if (task->cancelled()) throw Cancelled{};
    return state_.take();
  }
  [[nodiscard]] bool cancel() noexcept override {
    if (!state_.stop_wait()) return false;
    set_cancelled();
    return true;
  }

  [[nodiscard]] bool start_branch() noexcept {
    waits_ = !state_.finished() && state_.start_wait(*this);
    return !waits_ && claim();
  }
  void leave() noexcept {
    if (waits_ && !state_.stop_wait()) state_.await_told();
  }

 private:
  OneshotState& state_;
  bool waits_ = false;  // as a branch: the sender will tell
};

}  // namespace sync

template <class T>
class OneshotSender {
 public:
  OneshotSender() = default;
  explicit OneshotSender(sync::OneshotState<T>& state) noexcept : state_(&state) {}
  OneshotSender(OneshotSender&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  OneshotSender& operator=(OneshotSender&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~OneshotSender() {
    if (state_ != nullptr) state_->finish(std::nullopt);
  }

  // Once. False if nobody will receive it.
  bool send(T value) && noexcept { return std::exchange(state_, nullptr)->finish(std::move(value)); }
  // Whether the receiver has gone.
  [[nodiscard]] bool closed() const noexcept { return state_->receiver_gone(); }

 private:
  sync::OneshotState<T>* state_ = nullptr;
};

template <class T>
class OneshotReceiver {
 public:
  explicit OneshotReceiver(sync::OneshotState<T>& state) noexcept : state_(&state) {}
  OneshotReceiver(OneshotReceiver&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  OneshotReceiver& operator=(OneshotReceiver&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~OneshotReceiver() {
    if (state_ != nullptr) state_->drop_receiver();
  }

  // Awaited: the value, once; none if it was received already, or the sender went without sending.
  [[nodiscard]] auto receive() noexcept { return typename sync::OneshotState<T>::Receiving(*state_); }
  // The value if it was sent, and not received.
  [[nodiscard]] std::optional<T> try_receive() noexcept { return state_->finished() ? state_->take() : std::nullopt; }

 private:
  sync::OneshotState<T>* state_;
};

template <class T>
[[nodiscard]] std::pair<OneshotSender<T>, OneshotReceiver<T>> oneshot() {
  auto* state = new sync::OneshotState<T>;
  return {OneshotSender<T>(*state), OneshotReceiver<T>(*state)};
}

}  // namespace volt
