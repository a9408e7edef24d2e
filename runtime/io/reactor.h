// SPDX-License-Identifier: MIT

// Reactor: reports the readiness of descriptors to a worker. A worker without work sleeps in wait(). There are two
// implementations (engines), io_uring and epoll.
//
// Threads: any thread may call `wake`, `rescuable`, `needs_interrupt`, `rescue`, `armed` and `counters`. All other
// members belong to the worker that owns the reactor, and must be called on the thread that created the reactor. Events
// are collected under a lock, so that a rescuer and the owner never handle the same event, and no source is freed while
// the other thread uses it.
// Lifetime: the reactor outlives every source armed in it; `armed()` returns their number. It also outlives every
// operation started in it, because the scheduler destroys it only after all tasks have ended.
//
// The design follows the event loop of Redis (a handful of functions that each engine implements). Completions are
// returned in a chain, not passed to callbacks, because code that ran inside the reactor could re-enter it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/counter.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/result.h"
#include "runtime/base/spin_lock.h"
#include "runtime/io/file_operation.h"
#include "runtime/io/source.h"

namespace volt::io {

enum class Engine : std::uint8_t { uring, epoll };

// Options of a ring that only tests set: they make the ring behave as on other kernels. Users cannot set them.
struct RingOptions {
  bool wake_by_eventfd = false;     // as on kernels before 6.13
  unsigned completion_entries = 0;  // a power of two, at least 16; 0: the reactor chooses
};
// The default options of a ring. A test program may change them before it creates its first reactor.
inline constinit RingOptions default_ring;

// The owner increments the counters; while the owner is stuck in a task, a rescuer may increment them. If the task ends
// during the rescue, both threads may increment at the same time, and an increment may be lost. Any thread may read the
// counters.
struct ReactorCounters {
  base::Counter enters;     // system calls that submit, collect or sleep
  base::Counter events;     // completions, or epoll events
  base::Counter overflows;  // how often the completion queue had overflowed
};

class Reactor {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  // Creates the reactor of the calling thread. Errors: those of io_uring_setup(2), io_uring_enter(2), epoll_create1(2)
  // and eventfd(2).
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create(Engine engine, const RingOptions& ring = default_ring);

  Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;
  virtual ~Reactor() = default;

  // Makes this reactor the source's home: arms a poll that reports every edge until `unwatch`. Takes a reference to the
  // source.
  void watch(Source& source) noexcept {
    source.set_reactor(*this);
    arm(source);
  }
  // Ends the poll of `source`. The poll's reference is dropped now or by a later collection.
  virtual void unwatch(Source& source) noexcept = 0;

  // Starts the operation immediately. Returns false, and starts nothing, if this engine does not support operations on
  // files.
  [[nodiscard]] virtual bool start(FileOperation& operation) noexcept = 0;

  // Submits all staged requests to the kernel and collects the events that have arrived, without waiting. Appends the
  // completions of the tasks to wake to `woken`.
  virtual void poll(base::Chain<Completion>& woken) noexcept = 0;
  // Does the same as poll(), but first waits until an event arrives, wake() is called, or CLOCK_MONOTONIC reaches
  // `until_ns`.
  virtual void wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept = 0;
  // Returns true if poll() is known to have work. Makes no system call, so a worker calls it before each tick. An
  // engine that would need a system call to find out returns false; the worker therefore also calls poll() at regular
  // intervals.
  [[nodiscard]] virtual bool pending() const noexcept = 0;

  // Ends the owner's current wait(), or its next one if none is under way.
  virtual void wake() noexcept = 0;

  // Collects events in place of the owner, which is stuck in a task (see runtime/sched/watchdog.h). Does nothing if
  // `still_stuck()` returns false under the lock: the owner then collects its events itself, and may be about to wait.
  template <class StillStuck>
  void rescue(base::Chain<Completion>& woken, StillStuck&& still_stuck) noexcept {
    const std::scoped_lock lock(collecting_);
    if (still_stuck()) rescue_locked(woken);
  }
  // Returns whether rescue() would find events, either at once or after the owner's thread was interrupted. Any thread
  // may call this.
  [[nodiscard]] virtual bool rescuable() const noexcept = 0;
  // Returns whether a rescuer must interrupt the owner's thread before rescue(), so that the thread calls
  // `flush_from_signal`.
  [[nodiscard]] virtual bool needs_interrupt() const noexcept = 0;
  // Makes completed operations visible to a rescuer. Called in a signal handler on the owner's thread.
  virtual void flush_from_signal() noexcept = 0;

  [[nodiscard]] std::uint32_t armed() const noexcept { return armed_.load(base::relaxed); }  // relaxed: a statistic
  [[nodiscard]] const ReactorCounters& counters() const noexcept { return counters_; }

 protected:
  virtual void arm(Source& source) noexcept = 0;
  virtual void rescue_locked(base::Chain<Completion>& woken) noexcept = 0;

  // Returns true if a rescuer has consumed a wake() together with other events: the owner's current wait() must not
  // sleep. The owner calls this while it runs no task. So no rescuer can consume another wake() before the owner
  // sleeps.
  [[nodiscard]] bool take_back_wake() noexcept {
    const std::scoped_lock lock(collecting_);
    return std::exchange(wake_taken_, false);
  }

  base::SpinLock collecting_;  // held while events are taken out and their sources are touched
  bool wake_taken_ = false;    // guarded by collecting_
  base::Atomic<std::uint32_t> armed_{0};
  ReactorCounters counters_;
};

// Returns whether this kernel and its sandbox allow io_uring: sets up a ring and runs one no-op through it. Errors:
// ENOSYS or EINVAL (kernel too old), EPERM or EACCES (seccomp, kernel.io_uring_disabled), ENOMEM (memlock).
[[nodiscard]] Result<void> probe_uring() noexcept;

}  // namespace volt::io
