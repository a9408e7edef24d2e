// A oneshot channel, as small as it can be: what the rows need until the runtime has a public one.
//
//   auto [sender, receiver] = rows::oneshot<int>();
//   sender.send(1);                                    // any thread, never waits
//   const int one = co_await std::move(receiver);
//
// Threads: a Sender and a Receiver may each be moved to another thread, and are used by one at a time.
// Lifetime: the state is freed by whichever end leaves second. A sender that leaves without sending is a bug of the
// row; the row would hang.
//
// Edges
//   O1  send's change of state  ->  the receiver's look : the value
//   O2  the receiver's change of state to waiting  ->  send : whom to wake
//   O3  the receiver's leaving  ->  send : nobody looks any more
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/coro/promise.h"
#include "runtime/sched/suspension.h"

namespace rows {

template <class T>
struct OneshotState {
  static constexpr std::uint32_t kSent = 1;
  static constexpr std::uint32_t kWaiting = 2;
  static constexpr std::uint32_t kReceiverGone = 4;

  volt::base::Atomic<std::uint32_t> bits{0};
  volt::sched::TaskHeader* receiver = nullptr;  // valid while kWaiting
  std::optional<T> value;

  static void* operator new(std::size_t bytes) {
    return volt::coro::FramePool::allocate_from(volt::coro::current_frame_pool(), bytes);
  }
  static void operator delete(void* block) noexcept {
    volt::coro::FramePool::deallocate(block, volt::coro::current_frame_pool());
  }
};

template <class T>
class Sender {
 public:
  Sender() = default;
  explicit Sender(OneshotState<T>* state) noexcept : state_(state) {}
  Sender(Sender&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Sender& operator=(Sender&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }

  // Once.
  void send(T value) {
    using State = OneshotState<T>;
    State* state = std::exchange(state_, nullptr);
    state->value.emplace(std::move(value));
    const std::uint32_t before = state->bits.fetch_or(State::kSent, volt::base::acq_rel);  // O1 O2 O3
    if ((before & State::kReceiverGone) != 0) {
      delete state;
    } else if ((before & State::kWaiting) != 0) {
      volt::sched::wake(*state->receiver);  // frees the state as soon as it runs
    }
  }

 private:
  OneshotState<T>* state_ = nullptr;
};

template <class T>
class Receiver {
 public:
  explicit Receiver(OneshotState<T>* state) noexcept : state_(state) {}
  Receiver(Receiver&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Receiver& operator=(Receiver&&) = delete;
  ~Receiver() {
    if (state_ == nullptr) return;
    const std::uint32_t before = state_->bits.fetch_or(OneshotState<T>::kReceiverGone, volt::base::acq_rel);  // O3
    if ((before & OneshotState<T>::kSent) != 0) delete state_;
  }

  auto operator co_await() && noexcept {
    class Awaiter final : public volt::sched::Suspension {
     public:
      explicit Awaiter(OneshotState<T>& state) noexcept : state_(state) {}

      [[nodiscard]] bool await_ready() noexcept {
        return begin() || (state_.bits.load(volt::base::acquire) & State::kSent) != 0;  // O1
      }
      [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
        suspend_at(frame, volt::WaitsFor::channel);
        state_.receiver = task;
        return (state_.bits.fetch_or(State::kWaiting, volt::base::acq_rel) & State::kSent) == 0;  // O1 O2
      }
      T await_resume() {
        throw_if_cancelled();
        return std::move(*state_.value);
      }
      bool cancel() noexcept override {
        if ((state_.bits.fetch_and(~State::kWaiting, volt::base::acq_rel) & State::kSent) != 0) return false;  // O2
        set_cancelled();
        return true;
      }

     private:
      using State = OneshotState<T>;
      State& state_;
    };
    return Awaiter(*state_);
  }

 private:
  OneshotState<T>* state_;
};

template <class T>
[[nodiscard]] std::pair<Sender<T>, Receiver<T>> oneshot() {
  auto* state = new OneshotState<T>;
  return {Sender<T>(state), Receiver<T>(state)};
}

struct Done {};  // what is sent where only the fact counts

}  // namespace rows
