// SPDX-License-Identifier: MIT

// The io_uring engine.
//
// Completions of a ring with DEFER_TASKRUN become visible only when its owner enters the kernel. So no interrupt
// disturbs a worker, but completions for a busy worker wait until it enters; rescue exists for this reason. One enter
// submits and collects.
//
// Edges
//   U1  the kernel publishes completions and flags  ->  the acquiring loads of the queue's tail and of the
//       flags (other end: the kernel)
//   U2  arm() releases the source, start() the operation  ->  rescue_locked() acquires it : only the kernel lies
//       between them; it orders them in a way that no memory model sees
#pragma once

#include <liburing.h>

#include "runtime/io/reactor.h"

namespace volt::io {

class UringReactor final : public Reactor {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create();
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
  void arm(Source& source) noexcept override;
  void rescue_locked(base::Chain<Completion>& woken) noexcept override;
  [[nodiscard]] Result<void> set_up();
  void choose_wake_up() noexcept;
  [[nodiscard]] io_uring_sqe* next_sqe() noexcept;
  static void finish(FileOperation& operation, int result, base::Chain<Completion>& woken) noexcept;
  unsigned collect(base::Chain<Completion>& woken) noexcept;  // returns the number of events
  [[nodiscard]] unsigned kernel_flags() const noexcept;
  [[nodiscard]] bool anything_completed() const noexcept;

  io_uring ring_{};
  bool ring_exists_ = false;
  base::Atomic<std::uint64_t> operations_{0};  // number of operations ever started
  unsigned wait_flags_ = 0;  // IORING_ENTER_NO_IOWAIT if the kernel has it: a sleep then does not count as I/O wait
  int wake_fd_ = -1;         // eventfd for kernels without SEND_MSG_RING
};

}  // namespace volt::io
