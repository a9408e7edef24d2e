// SPDX-License-Identifier: MIT

// A source moves while data arrives: its home is stuck, a rescuer takes its edge and becomes its home; a thief steals
// the task from the rescuer and becomes its home; the old home comes back, may still collect an edge, and the source
// may move back to it. The task must receive everything, run on one thread at a time, and close the source, which must
// be deleted exactly once. The watchdog looks at the sources of the stuck worker in the meantime.
//
// The source, the lists of homed sources, the inbox and the rescuer's side of the reactor are the runtime's. The ring
// belongs to this body and polls as the uring engine does (runtime/io/uring_reactor.cpp), but its polls never end by
// themselves. The code around it repeats Socket::settle_on and close (runtime/net/socket.cpp) and Worker::watch,
// unwatch and run (runtime/sched/worker.cpp); a source moves to every worker on which its task waits.
#pragma once

#include <array>
#include <utility>

#include "runtime/io/reactor.h"
#include "runtime/sched/homed_sources.h"
#include "runtime/sched/inbox.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class MoveFault : std::uint8_t {
  none,
  moves_while_leaving,  // the source moves again before its old home has ended the poll
  no_reference,         // the message to the old home does not hold the source
  left_too_early,       // the old home says that it has ended its poll before it has
  unwatched_first,      // the old home is told before the new one watches
};

// The kernel's side of a descriptor: whether data has arrived that was not read.
using Readable = base::Atomic<std::uint32_t>;

// A ring with a poll of one source.
class PollRing final : public io::Reactor {
 public:
  explicit PollRing(const Readable& readable) noexcept : readable_(readable) {}

  // Reports that data has arrived, as the kernel does.
  void edge() noexcept {
    const std::scoped_lock lock(kernel_);
    if (polled_ != nullptr) post_locked({.source = polled_});
  }

  void unwatch(io::Source& source) noexcept override {
    const std::scoped_lock lock(kernel_);
    polled_ = nullptr;
    post_locked({.source = &source, .ends = true});
  }
  void poll(base::Chain<io::Completion>& woken) noexcept override {
    const std::scoped_lock lock(collecting_);
    collect(woken);
  }
  void wait(std::int64_t, base::Chain<io::Completion>& woken) noexcept override {
    if (!take_back_wake()) {
      const std::uint32_t head = head_.load(base::relaxed);
      while (tail_.load(base::acquire) == head) pause();
    }
    poll(woken);
  }
  void wake() noexcept override {
    const std::scoped_lock lock(kernel_);
    post_locked({});
  }
  [[nodiscard]] bool start(io::FileOperation&) noexcept override { return false; }
  [[nodiscard]] bool pending() const noexcept override { return rescuable(); }
  [[nodiscard]] bool rescuable() const noexcept override {
    return head_.load(base::relaxed) != tail_.load(base::acquire);
  }
  [[nodiscard]] bool needs_interrupt() const noexcept override { return false; }
  void flush_from_signal() noexcept override {}

 private:
  struct Entry {
    io::Source* source = nullptr;  // null for a wake-up
    bool ends = false;             // the last entry of a poll
  };

  void arm(io::Source& source) noexcept override {
    source.add_reference();
    armed_.fetch_add(1, base::relaxed);
    const std::scoped_lock lock(kernel_);
    require(polled_ == nullptr, "a ring has one poll of a source");
    polled_ = &source;
    if (readable_.load(base::relaxed) != 0) post_locked({.source = &source});
  }
  void rescue_locked(base::Chain<io::Completion>& woken) noexcept override {
    collect(woken);
    wake_taken_ = true;  // there may have been a wake-up
  }

  void post_locked(const Entry& entry) noexcept {
    const std::uint32_t tail = tail_.load(base::relaxed);
    entries_[tail] = entry;
    tail_.store(tail + 1, base::release);
  }
  void collect(base::Chain<io::Completion>& woken) noexcept {
    std::uint32_t head = head_.load(base::relaxed);
    for (const std::uint32_t tail = tail_.load(base::acquire); head != tail; ++head) {
      const Entry& entry = entries_[head];
      if (entry.ends) {
        armed_.fetch_sub(1, base::relaxed);
        entry.source->drop_reference();
      } else if (entry.source != nullptr) {
        entry.source->report(io::Source::kReadable, woken);
      }
    }
    head_.store(head, base::release);
  }

  const Readable& readable_;
  base::SpinLock kernel_;
  io::Source* polled_ = nullptr;     // guarded by kernel_
  std::array<Entry, 24> entries_{};  // never wraps around
  base::Atomic<std::uint32_t> head_{0};
  base::Atomic<std::uint32_t> tail_{0};
};

template <MoveFault kFault = MoveFault::none>
class MovingSourceBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  MovingSourceBody() : source_(*new Stream(deleted_)) {
    watch(workers_[0]);
    require(source_.start_wait(io::Direction::read, waiter_), "no edge has been reported yet");
    arrive();
    progress_.store(1, base::relaxed);
  }

  void thread(unsigned index) override {
    if (index == 0) {
      progress_.store(2, base::relaxed);  // the long task has ended
      run(workers_[0]);
    } else if (index == 1) {
      rescue();
      arrive();
      run(workers_[kRescuer]);
    } else if (index == 2) {
      run(workers_[kThief]);
    } else {
      look_at_sources();
      arrive();
    }
  }

  void finish() override {
    require(received_ == kArrivals, "everything is received");
    require(deleted_ == 1, "the source is deleted exactly once");
    for (const Worker& worker : workers_) require(worker.homed.size() == 0, "no worker is the source's home");
  }

 private:
  static constexpr std::uint32_t kArrivals = 3;
  static constexpr std::uint16_t kRescuer = 1;
  static constexpr std::uint16_t kThief = 2;

  struct Worker {
    Worker(const Readable& readable, std::uint16_t number) noexcept : index(number), ring(readable), homed(number) {}
    void post(io::UnwatchRequest& request) noexcept {
      inbox.post(request);
      ring.wake();
    }
    const std::uint16_t index;
    PollRing ring;
    sched::HomedSources homed;
    sched::Inbox inbox;
  };

  class Stream final : public io::Source {
   public:
    explicit Stream(int& deleted) noexcept : Source(-1), deleted_(deleted) {}

   private:
    ~Stream() override { ++deleted_; }
    int& deleted_;
  };

  // ---- the kernel, and the watchdog (Takeover::begin and end) ----

  void arrive() {
    readable_.fetch_add(1, base::release);
    for (Worker& worker : workers_) worker.ring.edge();
  }

  void look_at_sources() {
    for (io::Source* source : workers_[0].homed.take_references()) source->drop_reference();
  }

  // ---- the workers ----

  void run(Worker& worker) {
    for (;;) {
      base::Chain<io::Completion> woken;
      if (worker.ring.pending()) worker.ring.poll(woken);
      drain_inbox(worker);
      if (worker.index == kThief && stolen_.exchange(false, base::acquire)) run_task(worker);
      if (woken.empty()) {
        if (over_.load(base::acquire) && worker.inbox.empty() && worker.ring.armed() == 0) return;
        worker.ring.wait(io::Reactor::kForever, woken);
        drain_inbox(worker);
      }
      run_woken(worker, woken);
    }
  }

  void rescue() {
    base::Chain<io::Completion> woken;
    workers_[0].ring.rescue(woken, [this] { return progress_.load(base::relaxed) == 1; });
    if (!woken.empty()) run_task(workers_[kRescuer]);
  }

  void drain_inbox(Worker& worker) {
    if (worker.inbox.empty()) return;
    sched::Inbox::Content content = worker.inbox.drain();
    while (content.unwatch.pop_front() != nullptr) unwatch(worker);
  }

  void watch(Worker& worker) {
    source_.home_worker = worker.index;
    worker.ring.watch(source_);
    worker.homed.add(source_);
  }

  void unwatch(Worker& worker) {
    if (kFault == MoveFault::left_too_early) source_.set_leaving(false);
    worker.ring.unwatch(source_);
    worker.homed.remove(source_);
    source_.set_leaving(false);
    source_.drop_reference();
  }

  // ---- the task ----

  // Runs the task that has been woken. A task that the rescuer has collected from its own ring is stolen first.
  void run_woken(Worker& worker, base::Chain<io::Completion>& woken) {
    if (woken.empty()) return;
    require(woken.size() == 1, "the task is woken once for each wait");
    if (worker.index != kRescuer) return run_task(worker);
    stolen_.store(true, base::release);
    workers_[kThief].ring.wake();
  }

  void run_task(Worker& worker) {
    do {
      received_ += readable_.exchange(0, base::acquire);  // not atomic: a second thread that runs the task is a race
      if (received_ == kArrivals) return close(worker);
      settle_on(worker);
    } while (!source_.start_wait(io::Direction::read, waiter_));
  }

  void settle_on(Worker& worker) {
    const bool foreign = source_.home_worker != worker.index;
    if (!foreign || (kFault != MoveFault::moves_while_leaving && source_.leaving())) return;
    if (kFault != MoveFault::no_reference) source_.add_reference();
    source_.set_leaving(true);
    Worker& old_home = workers_[source_.home_worker];
    if (kFault == MoveFault::unwatched_first) old_home.post(source_.leave_request);
    watch(worker);
    if (kFault != MoveFault::unwatched_first) old_home.post(source_.leave_request);
  }

  void close(Worker& worker) {
    source_.set_closing();
    Worker& home = workers_[source_.home_worker];
    if (&home == &worker) {
      unwatch(worker);
    } else {
      home.post(source_.close_request);
    }
    over_.store(true, base::release);
    for (Worker& each : workers_) each.ring.wake();
  }

  Readable readable_{0};
  std::array<Worker, 3> workers_{{{readable_, 0}, {readable_, kRescuer}, {readable_, kThief}}};
  int deleted_ = 0;
  io::Source& source_;
  io::Completion waiter_;
  base::Atomic<std::uint64_t> progress_{0};
  base::Atomic<bool> stolen_{false};  // whether the thief has stolen the task
  base::Atomic<bool> over_{false};
  std::uint32_t received_ = 0;  // belongs to the task
};

}  // namespace volt::model
