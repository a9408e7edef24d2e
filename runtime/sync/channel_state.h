// SPDX-License-Identifier: MIT

// ChannelState: the state that the senders and receivers of one channel share.
//
// A value stays in the ring until a running receiver takes it. A waiting receiver does not get a value but a *grant*:
// the promise that one value in the ring is reserved for it. So if a receiver is cancelled after it was woken, it gives
// back a grant, and the value is still at its place in the ring.
//
// Invariants, whenever the lock is free:
//   granted_ <= values_.size()
//   a sender waits    =>  the ring is full and the channel open
//   a receiver waits  =>  each value in the ring is granted to another receiver, and the channel is open or the ring
//   not empty
//
// Rejected: moving the value directly into the frame of the waiting receiver. The receiver would not have to acquire
// the lock a second time. But if the receiver is cancelled, the value must return to the front of the ring, and the
// ring may be full by then.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "runtime/sched/cancel.h"
#include "runtime/sync/ring.h"
#include "runtime/sync/wait_queue.h"

namespace volt::sync {

enum class Sent : std::uint8_t { sent, full, closed };

template <class T>
class ChannelState {
 public:
  class Sending;
  class Receiving;

  explicit ChannelState(std::size_t capacity) : values_(capacity) {}
  ChannelState(const ChannelState&) = delete;
  ChannelState& operator=(const ChannelState&) = delete;
  ~ChannelState() {
    VOLT_REQUIRE(
        granted_ == 0,
        "a Receiver was destroyed while a task waits in its receive(): let the receiving task own its Receiver");
  }

  // Tries to send without waiting. Moves from `value` only if the result is `sent`.
  [[nodiscard]] Sent try_send(T& value) noexcept {
    return locked([&](Woken& woken) { return send_locked(value, woken); });
  }
  [[nodiscard]] std::optional<T> try_receive() noexcept {
    return locked([&](Woken& woken) { return receive_locked(woken); });
  }
  void close() noexcept {
    locked([&](Woken& woken) {
      closed_ = true;
      settle_locked(woken);
    });
  }
  [[nodiscard]] bool closed() noexcept {
    return locked([&](Woken&) { return closed_; });
  }
  [[nodiscard]] std::size_t size() noexcept {
    return locked([&](Woken&) { return values_.size(); });
  }

  void add_sender() noexcept {
    locked([&](Woken&) { ++senders_; });
  }
  void add_receiver() noexcept {
    locked([&](Woken&) { ++receivers_; });
  }
  void drop_sender() noexcept {
    const bool last = locked([&](Woken&) { return --senders_ == 0; });
    if (last) close();
  }
  // Removes a receiver. The last one closes the channel and destroys the values that are left in it.
  void drop_receiver() noexcept {
    const bool last = locked([&](Woken&) { return --receivers_ == 0; });
    if (!last) return;
    close();
    while (try_receive()) {
    }
  }

 private:
  template <class Change>
  auto locked(Change&& change) noexcept {
    Woken woken;
    const WakeAtEnd wake_at_end(woken);
    const std::scoped_lock lock(lock_);
    return change(woken);
  }
  class WakeAtEnd {  // wakes after the lock's release
   public:
    explicit WakeAtEnd(Woken& woken) noexcept : woken_(woken) {}
    ~WakeAtEnd() { wake_all(woken_); }
    WakeAtEnd(const WakeAtEnd&) = delete;
    WakeAtEnd& operator=(const WakeAtEnd&) = delete;

   private:
    Woken& woken_;
  };

  [[nodiscard]] Sent send_locked(T& value, Woken& woken) noexcept {
    if (closed_) return Sent::closed;
    if (values_.full()) return Sent::full;
    values_.push_back(std::move(value));
    settle_locked(woken);
    return Sent::sent;
  }

  [[nodiscard]] std::optional<T> receive_locked(Woken& woken) noexcept {
    if (values_.size() == granted_) return std::nullopt;
    std::optional<T> value(values_.pop_front());
    settle_locked(woken);
    return value;
  }

  [[nodiscard]] bool finished_locked() const noexcept { return closed_ && values_.empty(); }

  // Restores the invariants after a change: serves waiting senders while there is room, and waiting receivers while
  // there are values without a grant. If the channel is closed, ends the waits that cannot be served.
  void settle_locked(Woken& woken) noexcept {
    if (!sending_.empty() || !receiving_.empty()) serve_locked(woken);
  }
  void serve_locked(Woken& woken) noexcept {
    while (closed_ || !values_.full()) {
      Sending* waiter = take_first(sending_);
      if (waiter == nullptr) break;
      waiter->outcome_ = closed_ ? Sent::closed : Sent::sent;
      if (!closed_) values_.push_back(std::move(waiter->value_));
      woken.push_back(waiter);
    }
    while (values_.size() != granted_ || finished_locked()) {
      Receiving* waiter = take_first(receiving_);
      if (waiter == nullptr) break;
      waiter->granted_ = values_.size() != granted_;
      granted_ += waiter->granted_ ? 1 : 0;
      woken.push_back(waiter);
    }
  }

  base::SpinLock lock_;
  bool closed_ = false;
  std::size_t granted_ = 0;
  std::size_t senders_ = 1;
  std::size_t receivers_ = 1;
  base::List<Sending> sending_;
  base::List<Receiving> receiving_;
  Ring<T> values_;
};

template <class T>
class ChannelState<T>::Sending final : public Operation<Sending> {
 public:
  Sending(ChannelState& state, T&& value) noexcept
      : Operation<Sending>(state.lock_, WaitsFor::channel), state_(state), value_(std::move(value)) {}

  // Returns true if the value was sent, false if the channel is closed. If the task is cancelled after the channel has
  // taken the value, returns true and does not throw Cancelled.
  [[nodiscard]] bool await_resume() const {
    this->throw_if_cancelled();
    return outcome_ == Sent::sent;
  }

 private:
  friend class ChannelState;
  friend class Operation<Sending>;

  [[nodiscard]] bool ready_locked() const noexcept { return state_.closed_ || !state_.values_.full(); }
  void take_locked(Woken& woken) noexcept { outcome_ = state_.send_locked(value_, woken); }
  void queue_locked() noexcept { state_.sending_.push_back(*this); }

  ChannelState& state_;
  T value_;
  Sent outcome_ = Sent::full;
};

template <class T>
class ChannelState<T>::Receiving final : public Operation<Receiving> {
 public:
  explicit Receiving(ChannelState& state) noexcept
      : Operation<Receiving>(state.lock_, WaitsFor::channel), state_(state) {}

  [[nodiscard]] std::optional<T> await_resume() {
    this->throw_if_cancelled();
    if (granted_) redeem();
    return std::move(value_);
  }

 private:
  friend class ChannelState;
  friend class Operation<Receiving>;

  [[nodiscard]] bool ready_locked() const noexcept {
    return state_.values_.size() != state_.granted_ || state_.finished_locked();
  }
  void take_locked(Woken& woken) noexcept { value_ = state_.receive_locked(woken); }
  void queue_locked() noexcept { state_.receiving_.push_back(*this); }

  void redeem() {
    const bool refused = this->cancelled_meanwhile();
    state_.locked([&](Woken& woken) {
      --state_.granted_;
      if (!refused) value_.emplace(state_.values_.pop_front());
      state_.settle_locked(woken);
    });
    if (refused) throw Cancelled{};
  }

  ChannelState& state_;
  std::optional<T> value_;
  bool granted_ = false;
};

}  // namespace volt::sync
