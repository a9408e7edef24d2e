// broadcast: each subscriber gets all that is sent after its subscription, from a ring of the last `capacity` values.
//
//   Broadcaster<Event> events(256);
//   Subscriber<Event> mine = events.subscribe();
//   events.send(Event{...});                                // never waits
//   auto next = co_await mine.receive();                    // none: every broadcaster is gone, and all was received
//   if (next && next->lost != 0) ...                        // this one was too slow, and missed so many
//   use(*next->value);
//
// A subscriber that falls behind by more than the ring loses the oldest values, is told how many with the next one, and
// goes on from there: nobody slow holds up the sender or the others. Values are shared, not copied.
//
// Threads: send, subscribe and try_receive from any thread; a handle belongs to one thread or task at a time, several use
// copies of a broadcaster or subscriptions of their own.
// Fairness: a send wakes all who wait. Cancellation: a receive that is cancelled takes nothing.
// Memory: the last `capacity` values stay alive, sixteen bytes a slot and one allocation a value; a subscriber costs
// nothing in the ring, and waiting allocates nothing. Lifetime: the ring goes with its last handle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

template <class T>
struct Delivery {
  std::shared_ptr<const T> value;
  std::uint64_t lost = 0;  // values before this one that were overwritten before the subscriber came to them
};

namespace sync {

template <class T>
class BroadcastState {
 public:
  class Receiving;

  explicit BroadcastState(std::size_t capacity) : last_(capacity) { VOLT_CHECK(capacity != 0); }

  void send(std::shared_ptr<const T> value) noexcept {
    release_all(lock_, waiting_, [&] {
      std::swap(last_[sent_ % last_.size()], value);
      ++sent_;
    });
  }  // what was overwritten goes here, outside the lock

  [[nodiscard]] std::uint64_t sent() noexcept {
    const std::scoped_lock lock(lock_);
    return sent_;
  }

  // The value at `position`, which counts what was sent, or the oldest one left; moves it on.
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
    release_all(lock_, waiting_, [] {});  // nobody queues any more
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

  // Woken by a value, which waits in the ring, or by the end.
  [[nodiscard]] std::optional<Delivery<T>> await_resume() {
    this->throw_if_cancelled();
    if (!delivery_) delivery_ = state_.try_receive(position_);
    return std::move(delivery_);
  }

 private:
  friend class Operation<Receiving>;

  [[nodiscard]] bool ready_locked() const noexcept { return position_ != state_.sent_ || state_.broadcasters_ == 0; }
  void take_locked(Woken&) noexcept { delivery_ = state_.receive_locked(position_); }
  void queue_locked() noexcept { state_.waiting_.push_back(*this); }

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

  // Awaited: the next value; none if no broadcaster is left and everything was received.
  [[nodiscard]] auto receive() noexcept { return typename sync::BroadcastState<T>::Receiving(*state_, position_); }
  // The next value if it was sent already.
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
