// SPDX-License-Identifier: MIT

// watch: shares the latest value of something, and wakes receivers when it changes.
//
//   auto [sender, receiver] = watch<Config>(load());
//   sender.send(load());                              // any thread, never waits; replaces the old value
//   while (co_await receiver.changed()) use(*receiver.borrow());
//
// A slow receiver sees the latest value, not every value; to receive every value, use channel or broadcast. Values are
// shared, not copied; a borrowed value stays alive after it was replaced.
//
// Threads: any; a handle belongs to one thread or task at a time, further threads and tasks use copies.
// Fairness: a send wakes all waiters. Cancellation: a changed() that is cancelled, or loses a select(), has not marked
// a value as seen.
// Memory: one allocation for each value; waiting allocates nothing. Lifetime: the state is destroyed with its last
// handle.
//
// Edges
//   V1  send's release of version_  ->  the acquire of try_changed() and closed(), which take no lock : what was
//       written before the send is visible
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {
namespace sync {

template <class T>
class WatchState {
 public:
  class Changing;

  explicit WatchState(std::shared_ptr<const T> value) noexcept : value_(std::move(value)) {}

  void send(std::shared_ptr<const T> value) noexcept {
    release_all(lock_, waiting_, [&] {
      std::swap(value_, value);
      version_.store(version_.load(base::relaxed) + kStep, base::release);  // V1; relaxed: under the lock
    });
  }  // the replaced value is destroyed here, outside the lock

  [[nodiscard]] std::shared_ptr<const T> borrow() noexcept {
    const std::scoped_lock lock(lock_);
    return value_;
  }

  // Returns the version of the latest value, which grows with each value.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(base::acquire) & ~kClosed; }  // V1
  [[nodiscard]] bool closed() const noexcept { return (version_.load(base::acquire) & kClosed) != 0; }      // V1

  void add_sender() noexcept {
    const std::scoped_lock lock(lock_);
    ++senders_;
  }
  void drop_sender() noexcept {
    {
      const std::scoped_lock lock(lock_);
      if (--senders_ != 0) return;
    }
    release_all(lock_, waiting_, [&] {
      version_.store(version_.load(base::relaxed) | kClosed, base::release);  // V1; relaxed: under the lock
    });
  }

  // Set in what a receiver has seen while a task waits in its changed().
  static constexpr std::uint64_t kWaits = 1;

 private:
  static constexpr std::uint64_t kClosed = 1;
  static constexpr std::uint64_t kStep = 2;

  base::SpinLock lock_;
  std::uint32_t senders_ = 1;
  base::Atomic<std::uint64_t> version_{0};
  std::shared_ptr<const T> value_;
  base::List<Changing> waiting_;
};

template <class T>
class WatchState<T>::Changing final : public Operation<Changing> {
 public:
  Changing(WatchState& state, std::uint64_t& seen) noexcept
      : Operation<Changing>(state.lock_, WaitsFor::watch), state_(state), seen_(seen) {}

  // Returns false if every sender is destroyed and the last value was seen.
  [[nodiscard]] bool await_resume() {
    this->throw_if_cancelled();
    seen_ = state_.version();  // ends the wait
    return seen_ != seen_before_;
  }

  // Called by a select(), also if the operation had already left the queue because another branch had won.
  void leave() noexcept {
    Operation<Changing>::leave();
    end_wait();
  }

 private:
  friend class Operation<Changing>;

  void end_wait() noexcept { seen_ &= ~kWaits; }
  void left_locked() noexcept { end_wait(); }

  [[nodiscard]] bool ready_locked() const noexcept { return state_.version() != seen_before_ || state_.closed(); }
  void take_locked(Woken&) noexcept {}
  void queue_locked() noexcept {
    seen_ |= kWaits;
    state_.waiting_.push_back(*this);
  }

  WatchState& state_;
  std::uint64_t& seen_;
  const std::uint64_t seen_before_ = seen_;
};

}  // namespace sync

template <class T>
class WatchReceiver {
 public:
  explicit WatchReceiver(std::shared_ptr<sync::WatchState<T>> state) noexcept
      : state_(std::move(state)), seen_(state_->version()) {}
  WatchReceiver(const WatchReceiver& other) noexcept
      : state_(other.state_), seen_(other.seen_ & ~sync::WatchState<T>::kWaits) {}
  WatchReceiver(WatchReceiver&& other) noexcept = default;
  WatchReceiver& operator=(WatchReceiver other) noexcept {
    std::swap(state_, other.state_);
    std::swap(seen_, other.seen_);
    return *this;
  }
  ~WatchReceiver() {
    VOLT_REQUIRE(
        (seen_ & sync::WatchState<T>::kWaits) == 0,
        "a WatchReceiver was destroyed or moved while a task waits in its changed(): let the waiting task own it");
  }

  // Awaited: waits for a value that this receiver has not seen, marks it as seen, and returns true. Returns false if
  // every sender is destroyed and no unseen value is left.
  [[nodiscard]] auto changed() noexcept {
    VOLT_REQUIRE(
        state_ && (seen_ & sync::WatchState<T>::kWaits) == 0,
        "changed() of a WatchReceiver was called after it was moved from, or while another task waits in it: give "
        "each task a copy");
    return typename sync::WatchState<T>::Changing(*state_, seen_);
  }
  // Returns true if there is a value that this receiver has not seen, and marks it as seen. Never waits.
  [[nodiscard]] bool try_changed() noexcept {
    const std::uint64_t before = std::exchange(seen_, state_->version());
    return seen_ != before;
  }

  // Returns the latest value, never null.
  [[nodiscard]] std::shared_ptr<const T> borrow() const noexcept { return state_->borrow(); }
  // Returns true if every sender is destroyed.
  [[nodiscard]] bool closed() const noexcept { return state_->closed(); }

 private:
  std::shared_ptr<sync::WatchState<T>> state_;
  std::uint64_t seen_;
};

template <class T>
class WatchSender {
 public:
  explicit WatchSender(std::shared_ptr<sync::WatchState<T>> state) noexcept : state_(std::move(state)) {}
  WatchSender(const WatchSender& other) noexcept : state_(other.state_) { state_->add_sender(); }
  WatchSender(WatchSender&& other) noexcept = default;
  WatchSender& operator=(WatchSender other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~WatchSender() {
    if (state_) state_->drop_sender();
  }

  void send(T value) const { state_->send(std::make_shared<const T>(std::move(value))); }
  [[nodiscard]] std::shared_ptr<const T> borrow() const noexcept { return state_->borrow(); }
  // Creates a receiver that counts the current value as seen.
  [[nodiscard]] WatchReceiver<T> subscribe() const noexcept { return WatchReceiver<T>(state_); }

 private:
  std::shared_ptr<sync::WatchState<T>> state_;
};

// Creates a watch, and a receiver that counts `initial` as seen.
template <class T>
[[nodiscard]] std::pair<WatchSender<T>, WatchReceiver<T>> watch(T initial) {
  auto state = std::make_shared<sync::WatchState<T>>(std::make_shared<const T>(std::move(initial)));
  return {WatchSender<T>(state), WatchReceiver<T>(state)};
}

}  // namespace volt
