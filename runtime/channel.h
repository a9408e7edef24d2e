// SPDX-License-Identifier: MIT

// channel: a bounded queue of values between tasks, in order; holds at most `capacity` values.
//
//   auto [sender, receiver] = channel<Order>(64);
//   const bool taken = co_await sender.send(std::move(order));   // waits while the channel is full
//   std::optional<Order> next = co_await receiver.receive();     // waits while it is empty; none: closed and drained
//
// Both ends are handles: a copy is another sender or receiver of the same channel. The channel is closed by close(), or
// when the last sender or the last receiver is destroyed. Values sent before the close are still received; then
// receive() returns nullopt and send() returns false. Each value is received by exactly one receiver.
//
// Threads: try_send, try_receive and close may be called from any thread; send and receive are awaited in tasks. A
// handle belongs to one thread or task at a time; further threads and tasks use copies.
// Fairness: waiting senders and receivers are served in order of arrival; none is overtaken.
// Cancellation: a send that is cancelled while it waits sends nothing and its value is destroyed. A cancelled receive
// takes nothing: the value meant for it keeps its place or is passed to the next receiver.
// Memory: `capacity` values and about 200 bytes, allocated once; waiting allocates nothing. Lifetime: the channel is
// destroyed with its last handle and may outlive its Runtime. A handle must not be moved while a task waits on it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/sync/channel_state.h"

namespace volt {

using sync::Sent;

template <class T>
class Receiver;
template <class T>
class Sender;

// Creates a channel. `capacity` must be at least 1.
template <class T>
[[nodiscard]] std::pair<Sender<T>, Receiver<T>> channel(std::size_t capacity);

template <class T>
class Sender {
 public:
  Sender(const Sender& other) noexcept : state_(other.state_) { state_->add_sender(); }
  Sender(Sender&& other) noexcept = default;
  Sender& operator=(Sender other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Sender() {
    if (state_) state_->drop_sender();
  }

  // Awaited: returns true if the channel accepted the value. If the channel is closed, destroys the value and returns
  // false.
  [[nodiscard]] auto send(T value) noexcept {
    VOLT_REQUIRE(state_, "a Sender was used after it was moved from: use the one that it was moved to, or a copy");
    return typename sync::ChannelState<T>::Sending(*state_, std::move(value));
  }
  // Moves from `value` only if the result is `sent`; otherwise `value` is left unchanged. Never waits.
  [[nodiscard]] Sent try_send(T&& value) noexcept { return state_->try_send(value); }

  void close() noexcept { state_->close(); }
  [[nodiscard]] bool closed() const noexcept { return state_->closed(); }
  // Returns the number of values in the channel.
  [[nodiscard]] std::size_t size() const noexcept { return state_->size(); }

 private:
  friend std::pair<Sender<T>, Receiver<T>> channel<T>(std::size_t capacity);
  explicit Sender(std::shared_ptr<sync::ChannelState<T>> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<sync::ChannelState<T>> state_;
};

template <class T>
class Receiver {
 public:
  Receiver(const Receiver& other) noexcept : state_(other.state_) { state_->add_receiver(); }
  Receiver(Receiver&& other) noexcept = default;
  Receiver& operator=(Receiver other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Receiver() {
    if (state_) state_->drop_receiver();
  }

  // Awaited: returns the next value; nullopt if the channel is closed and everything was received.
  [[nodiscard]] auto receive() noexcept {
    VOLT_REQUIRE(state_, "a Receiver was used after it was moved from: use the one that it was moved to, or a copy");
    return typename sync::ChannelState<T>::Receiving(*state_);
  }
  // Returns the next value if one is available to this receiver now, else nullopt; also nullopt if the channel is
  // closed. Never waits.
  [[nodiscard]] std::optional<T> try_receive() noexcept { return state_->try_receive(); }

  // Closes the channel: sends fail from then on. Values sent before the close are still received.
  void close() noexcept { state_->close(); }
  [[nodiscard]] bool closed() const noexcept { return state_->closed(); }
  [[nodiscard]] std::size_t size() const noexcept { return state_->size(); }

 private:
  friend std::pair<Sender<T>, Receiver<T>> channel<T>(std::size_t capacity);
  explicit Receiver(std::shared_ptr<sync::ChannelState<T>> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<sync::ChannelState<T>> state_;
};

template <class T>
std::pair<Sender<T>, Receiver<T>> channel(std::size_t capacity) {
  auto state = std::make_shared<sync::ChannelState<T>>(capacity);
  return {Sender<T>(state), Receiver<T>(state)};
}

}  // namespace volt
