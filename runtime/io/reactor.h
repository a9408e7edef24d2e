// SPDX-License-Identifier: MIT

// Reactor: reports the readiness of descriptors to a worker, and is where the worker sleeps. Two engines, io_uring and
// epoll, share one contract.
//
// Threads: every member belongs to the worker that owns the reactor, and must run on the thread that created it, except
// `wake`, `rescuable`, `needs_interrupt` and `rescue`, which any thread may call. Events are collected under a lock, so
// that a rescuer and the owner never handle the same event, and no source is freed while the other thread uses it.
// Lifetime: the reactor outlives every source armed in it; `armed()` returns how many there are. It also outlives every
// operation started in it, which the tasks that wait for those operations ensure.
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

// Properties of a ring that tests force, so that every kernel shows what the others do. Users cannot set them.
struct RingOptions {
  bool wake_by_eventfd = false;     // as on kernels before 6.13
  unsigned completion_entries = 0;  // a power of two, at least 16; 0: the reactor chooses
};
// The options of reactors that are created without any. A test program may change them before its first reactor exists.
inline constinit RingOptions default_ring;

// The owner increments the counters, and a rescuer does while the owner is stuck in a task. If that task ends during a
// rescue, both threads increment, and an increment may be lost. Any thread may read the counters.
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

  // Starts the operation immediately. Returns false if this engine has no operations for files; nothing has been
  // started then.
  [[nodiscard]] virtual bool start(FileOperation& operation) noexcept = 0;

  // Submits all staged requests to the kernel and collects the events that have arrived, without waiting. Appends the
  // completions of the tasks to wake to `woken`.
  virtual void poll(base::Chain<Completion>& woken) noexcept = 0;
  // Submits and collects like poll(), but waits until an event has arrived, wake() was called, or CLOCK_MONOTONIC
  // reached `until_ns`.
  virtual void wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept = 0;
  // Returns whether poll() is known to have work. Cheap enough to call before each tick. An engine that cannot know
  // without a system call returns false; the worker polls it at regular intervals.
  [[nodiscard]] virtual bool pending() const noexcept = 0;

  // Ends the owner's current wait(), or its next one if none is under way.
  virtual void wake() noexcept = 0;

  // Collects events on behalf of an owner that is stuck in a task (see runtime/sched/watchdog.h), if `still_stuck()`
  // returns true under the lock. An owner that is no longer stuck collects its own events, and may be about to wait.
  template <class StillStuck>
  void rescue(base::Chain<Completion>& woken, StillStuck&& still_stuck) noexcept {
    const std::scoped_lock lock(collecting_);
    if (still_stuck()) rescue_locked(woken);
  }
  // Returns whether rescue() would find events, now or after an interrupt. Any thread may call this.
  [[nodiscard]] virtual bool rescuable() const noexcept = 0;
  // Returns whether a rescue must first interrupt the owner's thread, so that it calls `flush_from_signal`.
  [[nodiscard]] virtual bool needs_interrupt() const noexcept = 0;
  // Makes completed operations visible to a rescuer. Called in a signal handler on the owner's thread.
  virtual void flush_from_signal() noexcept = 0;

  [[nodiscard]] std::uint32_t armed() const noexcept { return armed_.load(base::relaxed); }  // relaxed: a statistic
  [[nodiscard]] const ReactorCounters& counters() const noexcept { return counters_; }

 protected:
  virtual void arm(Source& source) noexcept = 0;
  virtual void rescue_locked(base::Chain<Completion>& woken) noexcept = 0;

  // Returns whether a rescuer consumed a wake() together with other events; the owner's next wait() must then end
  // immediately. The owner calls this after it has left its task, so no rescuer consumes another wake() before the
  // owner sleeps.
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
