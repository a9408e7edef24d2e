// SPDX-License-Identifier: MIT

// Rescue while the owner collects, too: a worker is stuck in a task while an edge arrives, and a message that only this
// worker may handle, with a wake-up. A rescuer collects; the owner, when its task ends, collects too, parks and sleeps.
// Nothing may be handled twice or be left unhandled, and no wake-up may be taken from an owner that sleeps.
//
// The two sides of the reactor, its sources, the inbox, the idle state and the owner's loop are the runtime's. The ring
// belongs to this body and collects as the uring engine does (runtime/io/uring_reactor.cpp). The rescuer repeats
// Worker::rescue_events.
#pragma once

#include <array>
#include <utility>

#include "runtime/io/reactor.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/inbox.h"
#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose, beside those of the loop (mutants.cmake); the explorer must find each of them.
enum class RescueFault : std::uint8_t {
  none,
  no_look_under_lock,  // checks that the owner is stuck before it takes the lock, not under it
  wake_not_given_back,
};

// A ring of completions. An entry is the source of an edge, or null for a wake-up.
class ModelRing final : public io::Reactor {
 public:
  explicit ModelRing(RescueFault fault) noexcept : fault_(fault) {}

  // Posts a completion, as the kernel does.
  void complete(io::Source* source) noexcept {
    const std::scoped_lock lock(kernel_);
    const std::uint32_t tail = tail_.load(base::relaxed);
    entries_[tail] = source;
    tail_.store(tail + 1, base::release);
  }

  void poll(base::Chain<io::Completion>& woken) noexcept override {
    const std::scoped_lock lock(collecting_);
    static_cast<void>(collect(woken));
  }
  void wait(std::int64_t, base::Chain<io::Completion>& woken) noexcept override {
    if (fault_ != RescueFault::wake_not_given_back && take_back_wake()) return poll(woken);
    const std::uint32_t head = head_.load(base::relaxed);
    while (tail_.load(base::acquire) == head) pause();
    poll(woken);
  }
  void wake() noexcept override { complete(nullptr); }
  void unwatch(io::Source&) noexcept override {}
  [[nodiscard]] bool start(io::FileOperation&) noexcept override { return false; }
  [[nodiscard]] bool pending() const noexcept override { return rescuable(); }
  [[nodiscard]] bool rescuable() const noexcept override {
    return head_.load(base::relaxed) != tail_.load(base::acquire);
  }
  [[nodiscard]] bool needs_interrupt() const noexcept override { return false; }
  void flush_from_signal() noexcept override {}

 private:
  void arm(io::Source&) noexcept override {}
  void rescue_locked(base::Chain<io::Completion>& woken) noexcept override {
    const bool took_wake = collect(woken);
    wake_taken_ = wake_taken_ || took_wake;
  }

  // Returns whether a wake-up was among the collected entries.
  [[nodiscard]] bool collect(base::Chain<io::Completion>& woken) noexcept {
    std::uint32_t head = head_.load(base::relaxed);
    const std::uint32_t tail = tail_.load(base::acquire);
    bool wake = false;
    for (; head != tail; ++head) {
      wake = wake || entries_[head] == nullptr;
      if (entries_[head] != nullptr) entries_[head]->report(io::Source::kReadable, woken);
    }
    head_.store(head, base::release);
    return wake;
  }

  const RescueFault fault_;
  base::SpinLock kernel_;
  std::array<io::Source*, 4> entries_{};  // never wraps around
  base::Atomic<std::uint32_t> head_{0};
  base::Atomic<std::uint32_t> tail_{0};
};

template <RescueFault kFault = RescueFault::none, template <class, class> class Loop = sched::WorkerLoop>
class RescueBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 3;
  static constexpr unsigned kWorkers = 1;
  using Worker = LoopWorker<Loop, RescueBody, OnlySharedQueues>;

  RescueBody() : source_(*new io::Source(-1)) {
    require(source_.start_wait(io::Direction::read, waiter_), "no edge has been reported yet");
    progress_.store(1, base::relaxed);
    stuck_progress_.store(1, base::relaxed);
  }

  void thread(unsigned index) override {
    if (index == 0) {
      progress_.store(2, base::relaxed);  // the task has ended (Worker::run)
      owner_.work();
    } else if (index == 1) {
      rescue();
    } else {
      ring_.complete(&source_);
      owner_.inbox_.post(source_.close_request);
      if (shared_.idle().claim(owner_.index_)) ring_.wake();
    }
  }

  void finish() override {
    require(edges_ == 1 && messages_ == 1, "the edge and the message are handled exactly once");
    source_.drop_reference();
  }

  // ---- the owner ----

  void collect_events(Worker& owner) {
    base::Chain<io::Completion> woken = std::exchange(came_while_parked_, {});
    if (ring_.pending()) ring_.poll(woken);
    handle(woken);
    owner.collect_inbox();
  }
  void poll_without_sleep(Worker&) { ring_.poll(came_while_parked_); }
  void sleep(Worker&) { ring_.wait(io::Reactor::kForever, came_while_parked_); }
  void wake(Worker&) { ring_.wake(); }
  void wake_in_order(Worker&) { ring_.wake(); }
  void unwatch(io::Source& source) {
    require(&source == &source_, "a message arrives as it was posted");
    ++messages_;
    handled_one();
  }
  void run(Worker&, Job&) { require(false, "the body has no jobs"); }

 private:
  void rescue() {
    if (!owner_is_stuck()) return;
    base::Chain<io::Completion> woken;
    const auto still_stuck = [this] { return kFault == RescueFault::no_look_under_lock || owner_is_stuck(); };
    ring_.rescue(woken, still_stuck);
    handle(woken);
    require(owner_.inbox_.take_tasks().empty(), "only the owner ends a poll");
  }

  [[nodiscard]] bool owner_is_stuck() const {
    const std::uint64_t progress = progress_.load(base::relaxed);
    return progress % 2 != 0 && progress == stuck_progress_.load(base::relaxed);
  }

  void handle(base::Chain<io::Completion>& woken) {
    while (io::Completion* completion = woken.pop_front()) {
      require(completion == &waiter_, "an edge wakes the task that waits for it");
      ++edges_;
      handled_one();
    }
  }

  // Ends the body when both are handled.
  void handled_one() {
    if (handled_.fetch_add(1, base::relaxed) + 1 == 2) shared_.stop();
  }

  ModelRing ring_{kFault};
  typename Worker::Shared shared_;
  Worker owner_{*this, shared_, 0};
  base::Chain<io::Completion> came_while_parked_;  // belongs to the owner
  io::Source& source_;
  io::Completion waiter_;
  base::Atomic<std::uint64_t> progress_{0};
  base::Atomic<std::uint64_t> stuck_progress_{0};
  base::Atomic<std::uint32_t> handled_{0};
  int edges_ = 0;
  int messages_ = 0;
};

}  // namespace volt::model
