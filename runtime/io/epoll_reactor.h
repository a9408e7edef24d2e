// SPDX-License-Identifier: MIT

// The fallback engine: edge-triggered epoll, for systems that forbid io_uring, as a plain `docker run` does. It
// fulfills the same contract as the io_uring engine and passes the same tests.
#pragma once

#include <array>

#include "runtime/io/reactor.h"

struct epoll_event;

namespace volt::io {

class EpollReactor final : public Reactor {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EpollReactor>> create();
  EpollReactor(int epoll_fd, int wake_fd) noexcept : epoll_fd_(epoll_fd), wake_fd_(wake_fd) {}
  ~EpollReactor() override;

  // Reports the source's events without becoming its home. Returns false if the kernel refuses.
  [[nodiscard]] bool also_watch(Source& source) noexcept;
  void unwatch(Source& source) noexcept override;
  [[nodiscard]] bool start(FileOperation&) noexcept override { return false; }  // epoll always reports files as ready
  void poll(base::Chain<Completion>& woken) noexcept override;
  void wait(std::int64_t until_ns, base::Chain<Completion>& woken) noexcept override;
  [[nodiscard]] bool pending() const noexcept override { return false; }  // only the kernel knows
  void wake() noexcept override;
  [[nodiscard]] bool rescuable() const noexcept override;
  [[nodiscard]] bool needs_interrupt() const noexcept override { return false; }
  void flush_from_signal() noexcept override {}

 private:
  void arm(Source& source) noexcept override;
  void rescue_locked(base::Chain<Completion>& woken) noexcept override;
  // Waits for events for at most `ns` nanoseconds. Uses epoll_pwait2 (Linux 5.11) if the kernel has it and no sandbox
  // forbids it. Otherwise uses epoll_wait, whose precision is a millisecond.
  int wait_for(std::int64_t ns, epoll_event* events) noexcept;
  void dispatch(const epoll_event* events, int count, base::Chain<Completion>& woken) noexcept;

  int epoll_fd_;
  int wake_fd_;  // eventfd, edge-triggered and never read
  bool has_pwait2_ = true;
};

}  // namespace volt::io
