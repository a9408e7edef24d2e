// SPDX-License-Identifier: MIT

// oneshot: sends one value from one task or thread to one task.
//
//   auto [sender, receiver] = oneshot<Reply>();
//   std::move(sender).send(Reply{...});                            // any thread, never waits
//   std::optional<Reply> reply = co_await receiver.receive();      // none: the sender was destroyed without sending
//
// Threads: an end may be moved to another thread; each end is used by one task or thread at a time.
// Cancellation: a receive() that is cancelled, or loses a select(), takes nothing: the next receive() still gets the
// value.
// Memory: the value and 24 bytes, allocated once; waiting allocates nothing. Lifetime: the state is freed with the end
// that is destroyed last, and may outlive its Runtime. The receiver must not be moved while it waits.
//
// Edges
//   O1  send's change of state  ->  the receiver's check of the state : the value
//   O2  the receiver's change of state to waiting  ->  send : which task to wake
//   O3  the receiver's destruction  ->  send : no receiver reads the state any more
//   O4  send's last use of a branch that it could not claim  ->  the branch's leave() : the branch may be destroyed
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
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

  // Called once, when the sender sends `value`, or is destroyed without sending. If the receiver is destroyed, deletes
  // the state and returns false.
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
    if (finished()) {
      delete this;
      return;
    }
    const std::uint32_t before = bits_.fetch_or(kReceiverGone, base::acq_rel);  // O3
    VOLT_REQUIRE((before & (kSent | kWaiting)) != kWaiting,
                 "a OneshotReceiver was destroyed while a task waits in its receive(): let the waiting task own it");
    if ((before & kSent) != 0) delete this;
  }

  // Returns true if the sender has sent a value or was destroyed.
  [[nodiscard]] bool finished() const noexcept { return (bits_.load(base::acquire) & kSent) != 0; }  // O1
  [[nodiscard]] bool receiver_gone() const noexcept {
    return (bits_.load(base::relaxed) & kReceiverGone) != 0;  // relaxed: a flag that carries no data
  }
  [[nodiscard]] std::optional<T> take() noexcept { return std::exchange(value_, std::nullopt); }

  // Registers `receiver` as the waiter. Returns false if the sender has finished since the last check.
  [[nodiscard]] bool start_wait(sched::Suspension& receiver) noexcept {
    receiver_ = &receiver;
    const std::uint32_t before = bits_.fetch_or(kWaiting, base::acq_rel);  // O1 O2
    VOLT_REQUIRE((before & (kSent | kWaiting)) != kWaiting,
                 "two tasks wait for the value of one oneshot: let one task receive it, or use a watch or a broadcast");
    return (before & kSent) == 0;
  }
  // Removes the waiter. Returns false if the sender has finished; the sender may still use the waiter then.
  [[nodiscard]] bool stop_wait() noexcept {
    return (bits_.fetch_and(~kWaiting, base::acq_rel) & kSent) == 0;  // O1 O2
  }
  // Waits until the sender no longer uses the branch. Only for a branch that was not served, after its stop_wait()
  // returned false.
  void await_told() const noexcept {
    for (base::SpinWait wait; (bits_.load(base::acquire) & kTold) == 0;) wait.pause();  // O4
  }

 private:
  // Wakes the waiter. The receiver may free the state as soon as it is woken.
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
  sched::Suspension* receiver_ = nullptr;  // valid while kWaiting is set
  std::optional<T> value_;
};

template <class T>
class OneshotState<T>::Receiving final : public sched::Suspension {
 public:
  explicit Receiving(OneshotState& state) noexcept : state_(state) {}

  [[nodiscard]] bool await_ready() noexcept { return begin() || (state_.finished() && !budget_exhausted()); }
  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::oneshot);
    if (!state_.finished()) return state_.start_wait(*this);
    yield_at(point);
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
  bool waits_ = false;  // used by a branch only: whether it is registered as the waiter
  OneshotState& state_;
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

  // Sends the value; may be called once. Returns false if the receiver is destroyed. Never waits.
  bool send(T value) && noexcept {
    VOLT_REQUIRE(
        state_ != nullptr,
        "a OneshotSender was used twice, or after it was moved from: a oneshot carries one value; use a channel "
        "for more");
    return std::exchange(state_, nullptr)->finish(std::move(value));
  }
  // Returns true if the receiver is destroyed.
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

  // Awaited: returns the value, once; nullopt if it was already received, or if the sender was destroyed without
  // sending.
  [[nodiscard]] auto receive() noexcept {
    VOLT_REQUIRE(state_ != nullptr, "a OneshotReceiver was used after it was moved from: use the one it was moved to");
    return typename sync::OneshotState<T>::Receiving(*state_);
  }
  // Returns the value if it was sent and not yet received, else nullopt. Never waits.
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
