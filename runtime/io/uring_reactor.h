// SPDX-License-Identifier: MIT

// The io_uring engine.
//
// Completions of a ring with DEFER_TASKRUN become visible only when its owner enters the kernel. So no interrupt
// disturbs a worker, but completions for a busy worker wait until it enters; rescue exists for this reason. One enter
// submits and collects.
//
// A multishot poll ends when its completion finds no room in the completion queue. Linux 6.1 to 6.12 end every poll
// that fires while the queue's overflow list is not empty, so that a poll that is armed again too early ends again: the
// worker would do nothing else. Ended polls are therefore kept in a list, and the owner arms them, a few at a time,
// when the overflow list is empty. The reactor never sleeps while a poll waits in that list.
//
// Edges
//   U1  the kernel publishes completions and flags  ->  the acquiring loads of the queue's tail and of the
//       flags (other end: the kernel)
//   U2  arm() releases the source, start() the operation  ->  rescue_locked() acquires it : only the kernel lies
//       between them; it orders them in a way that no memory model sees
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
  // A poll that has ended and may have to be armed again. It keeps its reference to the source until then.
  struct EndedPoll {
    Source* source;     // null: the poll of the eventfd
    bool is_unwatched;  // it was ended by unwatch()
  };

  void arm(Source& source) noexcept override;
  void rescue_locked(base::Chain<Completion>& woken) noexcept override;
  [[nodiscard]] Result<void> set_up(const RingOptions& options);
  [[nodiscard]] Result<void> wake_by_eventfd();
  [[nodiscard]] io_uring_sqe* next_sqe() noexcept;
  void submit_poll(Source& source) noexcept;
  void submit_wake_poll() noexcept;
  static void finish(FileOperation& operation, int result, base::Chain<Completion>& woken) noexcept;
  // Returns the number of events.
  unsigned collect(base::Chain<Completion>& woken) noexcept;
  // Returns whether the completion is the last one of a poll that may have to be armed again, and which poll.
  [[nodiscard]] bool ends_poll(const io_uring_cqe& cqe, EndedPoll& poll) const noexcept;
  // Returns false if there is no memory for it.
  [[nodiscard]] bool keep(const EndedPoll& poll) noexcept;
  // Arms the poll again, or drops its reference if its source needs no poll here any more.
  void arm_again(const EndedPoll& poll) noexcept;
  // Arms some of the ended polls unless the completion queue overflows. Returns whether there were any.
  bool arm_ended_polls() noexcept;
  [[nodiscard]] bool polls_to_arm() const noexcept { return next_to_arm_ != to_arm_.size(); }
  [[nodiscard]] unsigned kernel_flags() const noexcept;
  [[nodiscard]] bool anything_completed() const noexcept;

  io_uring ring_{};
  bool ring_exists_ = false;
  base::Atomic<std::uint64_t> operations_{0};  // number of operations ever started
  unsigned wait_flags_ = 0;  // IORING_ENTER_NO_IOWAIT if the kernel has it: a sleep then does not count as I/O wait
  int wake_fd_ = -1;         // eventfd for kernels without SEND_MSG_RING; never read

  std::vector<EndedPoll> ended_polls_;             // guarded by collecting_
  base::Atomic<bool> rescuer_ended_polls_{false};  // a hint to the owner that a rescuer has added to ended_polls_
  std::vector<EndedPoll> to_arm_;                  // belongs to the owner, like the next; those before it are done
  std::size_t next_to_arm_ = 0;
};

}  // namespace volt::io
