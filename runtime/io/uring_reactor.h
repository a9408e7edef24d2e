// SPDX-License-Identifier: MIT

// The io_uring engine.
//
// Completions of a ring with DEFER_TASKRUN become visible only when its owner enters the kernel. So a worker is not
// interrupted by completions. But if a worker is busy in a long task, its completions wait until the worker enters the
// kernel; rescue (runtime/sched/watchdog.h) exists for this reason. One enter both submits and collects.
//
// A multishot poll ends when its completion finds no room in the completion queue. Linux 6.1 to 6.12 end every poll
// that fires while the queue's overflow list is not empty. If a poll were armed again too early, it would end again at
// once, and the worker would only arm polls. Ended polls are therefore kept in a list; the owner arms a limited number
// of them at a time, when the overflow list is empty. While a poll is in that list, the reactor does not sleep, except
// for a short time (kSubmitAgainNs) when the kernel has refused entries.
//
// Edges
//   U1  the kernel publishes completions and flags  ->  the acquiring loads of the queue's tail and of the
//       flags (other end: the kernel)
//   U2  arm() releases the source, start() the operation  ->  rescue_locked() acquires it : the kernel passes the
//       pointer from one to the other, and so orders the two. Neither the memory model nor a thread sanitizer knows of
//       this order
#pragma once

#include <liburing.h>

#include <cstddef>
#include <vector>

#include "runtime/io/reactor.h"

namespace volt::io {

class UringReactor final : public Reactor {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create(const RingOptions& options);
  UringReactor() = default;
  ~UringReactor() override;

  void unwatch(Source& source) noexcept override;
  [[nodiscard]] bool start(FileOperation& operation) noexcept override;
  void poll(base::Chain<Completion>& woken) noexcept override;
  void wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept override;
  [[nodiscard]] bool pending() const noexcept override;
  void wake() noexcept override;
  [[nodiscard]] bool rescuable() const noexcept override;
  [[nodiscard]] bool needs_interrupt() const noexcept override;
  void flush_from_signal() noexcept override;

 private:
  // A poll that has ended and may have to be armed again. It keeps its reference to the source until arm_again() has
  // handled it.
  struct EndedPoll {
    Source* source;     // null: the poll of the eventfd
    bool is_unwatched;  // it was ended by unwatch()
  };

  // While one exists, flush_from_signal() leaves the submission queue alone: this thread is changing it.
  class QueueInUse {
   public:
    explicit QueueInUse(UringReactor& reactor) noexcept
        : reactor_(reactor),
          was_in_use_(reactor.queue_in_use_.load(base::relaxed)) {  // relaxed: only this thread uses it
      reactor_.queue_in_use_.store(true, base::relaxed);            // relaxed: as above
      base::signal_fence();
    }
    ~QueueInUse() {
      reactor_.entries_staged_.store(io_uring_sq_ready(&reactor_.ring_) != 0, base::relaxed);  // relaxed: a hint
      base::signal_fence();
      reactor_.queue_in_use_.store(was_in_use_, base::relaxed);  // relaxed: only this thread uses it
    }
    QueueInUse(const QueueInUse&) = delete;
    QueueInUse& operator=(const QueueInUse&) = delete;

   private:
    UringReactor& reactor_;
    const bool was_in_use_;
  };

  void arm(Source& source) noexcept override;
  void rescue_locked(base::Chain<Completion>& woken) noexcept override;
  [[nodiscard]] Result<void> set_up(const RingOptions& options);
  [[nodiscard]] Result<void> wake_by_eventfd();
  [[nodiscard]] io_uring_sqe* next_sqe() noexcept;
  void submit_poll(Source& source) noexcept;
  void submit_wake_poll() noexcept;
  static void finish(FileOperation& operation, int result, base::Chain<Completion>& woken) noexcept;
  void submit_unless_in_use() noexcept {
    if (queue_in_use_.load(base::relaxed)) return;  // relaxed: only this thread uses it
    const QueueInUse in_use(*this);
    if (io_uring_sq_ready(&ring_) != 0) io_uring_submit(&ring_);
  }
  // Handles the completions in the queue. Returns their number.
  unsigned collect(base::Chain<Completion>& woken) noexcept;
  // Returns true, and stores the poll in `poll`, if the completion is the last one of a poll.
  [[nodiscard]] bool ends_poll(const io_uring_cqe& cqe, EndedPoll& poll) const noexcept;
  // Adds the poll to ended_polls_. Returns false if there is not enough memory.
  [[nodiscard]] bool keep(const EndedPoll& poll) noexcept;
  // Arms the poll again. If the source needs no poll in this reactor any more, drops the poll's reference instead.
  void arm_again(const EndedPoll& poll) noexcept;
  // Arms some of the ended polls. Returns false, and arms none, if there is none or if the completion queue overflows.
  bool arm_ended_polls() noexcept;
  [[nodiscard]] bool polls_to_arm() const noexcept { return next_to_arm_ != to_arm_.size(); }
  [[nodiscard]] unsigned kernel_flags() const noexcept;
  [[nodiscard]] bool anything_completed() const noexcept;

  io_uring ring_{};
  bool ring_exists_ = false;
  base::Atomic<bool> queue_in_use_{false};     // read by the signal handler of the same thread
  base::Atomic<bool> entries_staged_{false};   // entries wait for the owner to submit them; a hint to rescuers
  base::Atomic<std::uint64_t> operations_{0};  // number of operations ever started
  unsigned wait_flags_ = 0;  // IORING_ENTER_NO_IOWAIT if the kernel has it: a sleep then does not count as I/O wait
  int wake_fd_ = -1;         // eventfd for kernels without SEND_MSG_RING; never read

  std::vector<EndedPoll> ended_polls_;             // guarded by collecting_
  base::Atomic<bool> rescuer_ended_polls_{false};  // a hint to the owner that a rescuer has added to ended_polls_
  std::vector<EndedPoll> to_arm_;                  // belongs to the owner, like the next; those before it are done
  std::size_t next_to_arm_ = 0;
};

}  // namespace volt::io
