// SPDX-License-Identifier: MIT

// broadcast: every subscriber receives every value that is sent after its subscription, from a ring of the last
// `capacity` values.
//
//   Broadcaster<Event> events(256);
//   Subscriber<Event> mine = events.subscribe();
//   events.send(Event{...});                   // never waits
//   auto next = co_await mine.receive();       // none: all broadcasters are destroyed, and all values were received
//   if (next && next->lost != 0) ...           // this subscriber was too slow, and missed next->lost values
//   use(*next->value);
//
// A subscriber that lags by more than the ring's capacity loses the oldest values. The next value it receives carries
// the number of lost values, and it continues from there: a slow subscriber delays neither the sender nor other
// subscribers. Values are shared, not copied.
//
// Threads: send, subscribe and try_receive may be called from any thread. A handle belongs to one thread or task at a
// time; further threads and tasks use copies of the broadcaster or their own subscriptions.
// Fairness: a send wakes all waiting subscribers. Cancellation: a cancelled receive takes no value.
// Memory: the last `capacity` values stay alive; each slot takes sixteen bytes and each value one allocation. A
// subscriber takes no space in the ring, and waiting allocates nothing. Lifetime: the ring is destroyed with its last
// handle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

template <class T>
struct Delivery {
  std::shared_ptr<const T> value;
  std::uint64_t lost = 0;  // number of values before this one that were overwritten before the subscriber received them
};

namespace sync {

template <class T>
class BroadcastState {
 public:
  class Receiving;

  // Set in a subscriber's position while a task waits for its next value.
  static constexpr std::uint64_t kWaits = std::uint64_t{1} << 63;

  explicit BroadcastState(std::size_t capacity) : last_(capacity) {
    VOLT_REQUIRE(capacity != 0, "a Broadcaster with capacity 0 was created: the capacity must be at least 1");
  }

  void send(std::shared_ptr<const T> value) noexcept {
    release_all(lock_, waiting_, [&] {
      std::swap(last_[sent_ % last_.size()], value);
      ++sent_;
    });
  }  // the overwritten value is destroyed here, outside the lock

  [[nodiscard]] std::uint64_t sent() noexcept {
    const std::scoped_lock lock(lock_);
    return sent_;
  }

  // Returns value number `position`, counted from 0 since the ring was created; if it was overwritten, the oldest value
  // in the ring. Moves `position` past the returned value. Returns nullopt if that value was not sent yet.
  [[nodiscard]] std::optional<Delivery<T>> try_receive(std::uint64_t& position) noexcept {
    const std::scoped_lock lock(lock_);
    return receive_locked(position);
  }

  void add_broadcaster() noexcept {
    const std::scoped_lock lock(lock_);
    ++broadcasters_;
  }
  void drop_broadcaster() noexcept {
    {
      const std::scoped_lock lock(lock_);
      if (--broadcasters_ != 0) return;
    }
    release_all(lock_, waiting_, [] {});  // no receiver can queue from here on
  }

 private:
  [[nodiscard]] std::optional<Delivery<T>> receive_locked(std::uint64_t& position) noexcept {
    if (position == sent_) return std::nullopt;
    const std::uint64_t oldest = sent_ - std::min<std::uint64_t>(sent_, last_.size());
    const std::uint64_t lost = position < oldest ? oldest - position : 0;
    position += lost;
    return Delivery<T>{.value = last_[position++ % last_.size()], .lost = lost};
  }

  base::SpinLock lock_;
  std::uint64_t sent_ = 0;
  std::size_t broadcasters_ = 1;
  std::vector<std::shared_ptr<const T>> last_;
  base::List<Receiving> waiting_;
};

template <class T>
class BroadcastState<T>::Receiving final : public Operation<Receiving> {
 public:
  Receiving(BroadcastState& state, std::uint64_t& position) noexcept
      : Operation<Receiving>(state.lock_, WaitsFor::broadcast), state_(state), position_(position) {}

  // The wait ends when the ring holds a value or the last broadcaster is destroyed.
  [[nodiscard]] std::optional<Delivery<T>> await_resume() {
    this->throw_if_cancelled();
    end_wait();
    if (!delivery_) delivery_ = state_.try_receive(position_);
    return std::move(delivery_);
  }

  // Called by a select(), also if the operation had already left the queue because another branch had won.
  void leave() noexcept {
    Operation<Receiving>::leave();
    end_wait();
  }

 private:
  friend class Operation<Receiving>;

  void end_wait() noexcept { position_ &= ~kWaits; }
  void left_locked() noexcept { end_wait(); }

  [[nodiscard]] bool ready_locked() const noexcept { return position_ != state_.sent_ || state_.broadcasters_ == 0; }
  void take_locked(Woken&) noexcept { delivery_ = state_.receive_locked(position_); }
  void queue_locked() noexcept {
    position_ |= kWaits;
    state_.waiting_.push_back(*this);
  }

  BroadcastState& state_;
  std::uint64_t& position_;
  std::optional<Delivery<T>> delivery_;
};

}  // namespace sync

template <class T>
class Subscriber {
 public:
  Subscriber(Subscriber&&) noexcept = default;
  Subscriber& operator=(Subscriber&&) noexcept = default;
  ~Subscriber() {
    VOLT_REQUIRE(
        (position_ & sync::BroadcastState<T>::kWaits) == 0,
        "a Subscriber was destroyed or moved while a task waits in its receive(): let the receiving task own it");
  }

  // Awaited: returns the next value; nullopt if all broadcasters are destroyed and all values were received.
  [[nodiscard]] auto receive() noexcept {
    VOLT_REQUIRE(state_, "a Subscriber was used after it was moved from: use the one that it was moved to");
    VOLT_REQUIRE((position_ & sync::BroadcastState<T>::kWaits) == 0,
                 "two tasks wait for the next value of one Subscriber: let each task subscribe for itself");
    return typename sync::BroadcastState<T>::Receiving(*state_, position_);
  }
  // Returns the next value if it was already sent, else nullopt. Never waits.
  [[nodiscard]] std::optional<Delivery<T>> try_receive() noexcept { return state_->try_receive(position_); }

 private:
  template <class>
  friend class Broadcaster;
  explicit Subscriber(std::shared_ptr<sync::BroadcastState<T>> state) noexcept
      : state_(std::move(state)), position_(state_->sent()) {}

  std::shared_ptr<sync::BroadcastState<T>> state_;
  std::uint64_t position_;
};

template <class T>
class Broadcaster {
 public:
  explicit Broadcaster(std::size_t capacity) : state_(std::make_shared<sync::BroadcastState<T>>(capacity)) {}
  Broadcaster(const Broadcaster& other) noexcept : state_(other.state_) { state_->add_broadcaster(); }
  Broadcaster(Broadcaster&& other) noexcept = default;
  Broadcaster& operator=(Broadcaster other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Broadcaster() {
    if (state_) state_->drop_broadcaster();
  }

  void send(T value) const { state_->send(std::make_shared<const T>(std::move(value))); }
  [[nodiscard]] Subscriber<T> subscribe() const noexcept { return Subscriber<T>(state_); }

 private:
  std::shared_ptr<sync::BroadcastState<T>> state_;
};

}  // namespace volt
