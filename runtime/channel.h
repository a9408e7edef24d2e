// channel: values from some tasks to others, in order, at most `capacity` of them on their way.
//
//   auto [sender, receiver] = channel<Order>(64);
//   const bool taken = co_await sender.send(std::move(order));   // waits while the channel is full
//   std::optional<Order> next = co_await receiver.receive();     // waits while it is empty; none: closed and drained
//
// Both ends are handles: a copy is another sender or receiver of the same channel. It is closed by close(), or when the
// last handle of either end goes: what was sent before is still received, then receive() gives nothing and send() false.
// Each value goes to one receiver.
//
// Threads: try_send, try_receive and close from any thread; send and receive are awaited in tasks. A handle itself
// belongs to one thread or task at a time; several use copies.
// Fairness: senders and receivers who wait are served in the order in which they came; nobody overtakes them.
// Cancellation: a send that is cancelled while it waits sends nothing, and its value goes; a receive that is cancelled
// takes nothing: what was meant for it stays in its place, or goes to the next receiver.
// Memory: `capacity` values and about 200 bytes, allocated once; waiting allocates nothing. Lifetime: the channel goes
// with its last handle, and may outlive its Runtime. A handle stays put while one waits on it.
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

// A new channel. `capacity` is at least 1.
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

  // Awaited: true if the channel took the value, false if it is closed, and then the value is gone.
  [[nodiscard]] auto send(T value) noexcept {
    return typename sync::ChannelState<T>::Sending(*state_, std::move(value));
  }
  // Takes the value if it is `sent`, else leaves it where it was.
  [[nodiscard]] Sent try_send(T&& value) noexcept { return state_->try_send(value); }

  void close() noexcept { state_->close(); }
  [[nodiscard]] bool closed() const noexcept { return state_->closed(); }
  // How many values are on their way.
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

  // Awaited: the next value; none if the channel is closed and everything was received.
  [[nodiscard]] auto receive() noexcept { return typename sync::ChannelState<T>::Receiving(*state_); }
  // The next value if there is one for this receiver now; none also if the channel is closed.
  [[nodiscard]] std::optional<T> try_receive() noexcept { return state_->try_receive(); }

  // Senders are told; what they sent before is still received.
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
