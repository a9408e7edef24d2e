// watch: the latest value of something, and when it changes.
//
//   auto [sender, receiver] = watch<Config>(load());
//   sender.send(load());                              // any thread, never waits; the old value is replaced
//   while (co_await receiver.changed()) use(*receiver.borrow());
//
// A receiver that is slow sees the latest value, not every one: for those there are channel and broadcast. Values are
// shared, not copied; one that was borrowed lives on after it was replaced.
//
// Threads: any; a handle belongs to one thread or task at a time, several use copies.
// Fairness: a send wakes all who wait. Cancellation: a changed() that is cancelled, or loses a select(), has seen nothing.
// Memory: one allocation a value; waiting allocates nothing. Lifetime: the state goes with its last handle.
//
// Edges
//   V1  send's release of version_  ->  changed()'s acquire : the value is there to be borrowed
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/base/atomic.h"
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
  }  // what was replaced goes here, outside the lock

  [[nodiscard]] std::shared_ptr<const T> borrow() noexcept {
    const std::scoped_lock lock(lock_);
    return value_;
  }

  // Grows with each value.
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

  // False: every sender has gone, and the last value was seen.
  [[nodiscard]] bool await_resume() {
    this->throw_if_cancelled();
    seen_ = state_.version();
    return seen_ != seen_before_;
  }

 private:
  friend class Operation<Changing>;

  [[nodiscard]] bool try_first() const noexcept { return ready_locked(); }
  [[nodiscard]] bool ready_locked() const noexcept { return state_.version() != seen_before_ || state_.closed(); }
  void take_locked(Woken&) noexcept {}
  void queue_locked() noexcept { state_.waiting_.push_back(*this); }

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

  // Awaited: true when there is a value that this receiver has not been told of; false if there will be none.
  [[nodiscard]] auto changed() noexcept { return typename sync::WatchState<T>::Changing(*state_, seen_); }
  // The same if it need not wait; false also if it would.
  [[nodiscard]] bool try_changed() noexcept {
    const std::uint64_t before = std::exchange(seen_, state_->version());
    return seen_ != before;
  }

  // The latest value, never null.
  [[nodiscard]] std::shared_ptr<const T> borrow() const noexcept { return state_->borrow(); }
  // Whether every sender has gone.
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
  // A receiver that has seen the present value.
  [[nodiscard]] WatchReceiver<T> subscribe() const noexcept { return WatchReceiver<T>(state_); }

 private:
  std::shared_ptr<sync::WatchState<T>> state_;
};

// A new watch, and a receiver that has seen `initial`.
template <class T>
[[nodiscard]] std::pair<WatchSender<T>, WatchReceiver<T>> watch(T initial) {
  auto state = std::make_shared<sync::WatchState<T>>(std::make_shared<const T>(std::move(initial)));
  return {WatchSender<T>(state), WatchReceiver<T>(state)};
}

}  // namespace volt
