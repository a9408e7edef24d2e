// Reactor: what a worker sleeps in and learns of readiness from. Two engines, io_uring and epoll, behind one contract.
//
// Threads: everything belongs to the worker that owns the reactor, on whose thread it was created, but for `wake`,
// `rescuable`, `needs_interrupt` and `rescue`, which any thread may call. What is collected is collected under a lock,
// so that a rescuer and the owner never handle the same event, and no source is freed while the other looks at it.
// Lifetime: outlives every source armed in it; `armed()` says how many there are. Outlives every operation started in
// it, which the tasks that wait for them see to.
//
// The shape was learned from Redis' event loop (a handful of functions that each engine fills in). The completions end
// in a chain, not in callbacks: code that ran inside the reactor could re-enter it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/result.h"
#include "runtime/base/spin_lock.h"
#include "runtime/io/file_operation.h"
#include "runtime/io/source.h"

namespace volt::io {

enum class Engine : std::uint8_t { uring, epoll };

// Written by the owner, read by anybody.
struct ReactorCounters {
  base::Atomic<std::uint64_t> enters{0};     // system calls that submit, collect or sleep
  base::Atomic<std::uint64_t> events{0};     // completions, or epoll events
  base::Atomic<std::uint64_t> overflows{0};  // times that the completion queue had spilled over
};

class Reactor {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  // Creates the reactor of the calling thread. Errors: as of io_uring_setup(2) and epoll_create1(2).
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create(Engine engine);

  Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;
  virtual ~Reactor() = default;

  // Becomes the source's home: arms a poll that reports every edge until `unwatch`. Takes a reference.
  void watch(Source& source) noexcept {
    source.set_reactor(*this);
    arm(source);
  }
  // Ends that poll; its reference is dropped now or by a later collection.
  virtual void unwatch(Source& source) noexcept = 0;

  // Begins the operation, at once. False: this engine has none for files, and nothing has begun.
  [[nodiscard]] virtual bool start(FileOperation& operation) noexcept = 0;

  // Hands what is staged to the kernel and collects what has come, without waiting: whom it woke is appended.
  virtual void poll(base::Chain<Completion>& woken) noexcept = 0;
  // The same, but waits until something has come, somebody called wake(), or CLOCK_MONOTONIC reached `until_ns`.
  virtual void wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept = 0;
  // Whether poll() is known to have something to do: cheap enough to ask before each tick. An engine that cannot know
  // without a system call says false, and is polled when its turn comes.
  [[nodiscard]] virtual bool pending() const noexcept = 0;

  // Ends the owner's wait(), now or the next time it is called.
  virtual void wake() noexcept = 0;

  // Rescue (runtime/sched/watchdog.h): collects on behalf of an owner that is stuck in a task, if `still_stuck()` under
  // the lock. An owner that has gone on collects for itself, and may be about to wait.
  template <class StillStuck>
  void rescue(base::Chain<Completion>& woken, StillStuck&& still_stuck) noexcept {
    const std::scoped_lock lock(collecting_);
    if (still_stuck()) rescue_locked(woken);
  }
  // Whether rescue() would find something, now or after an interrupt. Any thread.
  [[nodiscard]] virtual bool rescuable() const noexcept = 0;
  // Whether a rescue needs the owner's thread to be interrupted first, so that it calls `flush_from_signal`.
  [[nodiscard]] virtual bool needs_interrupt() const noexcept = 0;
  // On the owner's thread, inside a signal handler: makes completed operations visible to a rescuer.
  virtual void flush_from_signal() noexcept = 0;

  [[nodiscard]] std::uint32_t armed() const noexcept { return armed_.load(base::relaxed); }  // relaxed: a statistic
  [[nodiscard]] const ReactorCounters& counters() const noexcept { return counters_; }

 protected:
  virtual void arm(Source& source) noexcept = 0;
  virtual void rescue_locked(base::Chain<Completion>& woken) noexcept = 0;

  // Whether a rescuer took a wake() away with the rest: then the owner's next wait() is over at once. The owner asks
  // when it has left its task, so no rescuer takes another one before it sleeps.
  [[nodiscard]] bool take_back_wake() noexcept {
    const std::scoped_lock lock(collecting_);
    return std::exchange(wake_taken_, false);
  }

  // relaxed: one writer at a time, readers only report
  static void bump(base::Atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
    counter.store(counter.load(base::relaxed) + by, base::relaxed);  // relaxed: as above
  }

  base::SpinLock collecting_;  // held while events are taken out and their sources touched
  bool wake_taken_ = false;    // under collecting_
  base::Atomic<std::uint32_t> armed_{0};
  ReactorCounters counters_;
};

// Whether this kernel and its sandbox let us use io_uring: sets up a ring and runs one no-op through it. The error says
// why not: ENOSYS (kernel too old), EPERM or EACCES (seccomp, kernel.io_uring_disabled), EINVAL, ENOMEM (memlock).
[[nodiscard]] Result<void> probe_uring() noexcept;

}  // namespace volt::io
