// SPDX-License-Identifier: MIT

// Takeover: watches the sources of a worker whose thread sleeps in a system call.
//
// Only the worker's own thread can make the completions of its ring visible (runtime/io/uring_reactor.h). A signal to a
// thread that computes does that (watchdog.h). A signal to a thread that sleeps would end its system call with EINTR,
// and the handler that made the call would fail. So an epoll set watches the same sources as the ring instead, until
// the thread is back. A source that both report gets a superfluous edge, which costs one read that finds no data. The
// same is done for a thread that computes if the program prevents the signal.
//
// Operations on files are not taken over: those that were started on the ring are completed when the thread is back.
//
// Threads: begin() and end() belong to the watchdog; any thread may call the rest.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/io/epoll_reactor.h"
#include "runtime/sched/homed_sources.h"

namespace volt::sched {

class Takeover {
 public:
  Takeover() = default;
  ~Takeover();  // must have ended

  // Watches all sources that are in the list now. The worker adds none while its thread sleeps. Has no effect if the
  // system refuses the epoll set, or while a takeover is under way.
  void begin(const HomedSources& sources) noexcept;
  void end() noexcept;

  // Returns whether collect() would find events. Both find none while another thread is in one of these functions.
  [[nodiscard]] bool ready() const noexcept;
  // Appends the completions of the tasks to wake to `woken`.
  void collect(base::Chain<io::Completion>& woken) noexcept;

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<io::EpollReactor> reactor_;  // null while there is no takeover. Guarded by mutex_, like the next
  std::vector<io::Source*> watched_;           // each with a reference
};

}  // namespace volt::sched
