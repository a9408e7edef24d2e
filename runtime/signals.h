// SPDX-License-Identifier: MIT

// Signals: lets tasks wait for POSIX signals.
//
//   int main() {
//     Signals signals({SIGHUP, SIGTERM});    // before any other thread is started
//     Runtime runtime;
//     ...  const int number = co_await signals.next();
//
// Threads: created by the process's first thread before the Runtime, and destroyed by that thread after the Runtime.
// The constructor blocks the signals in the calling thread, and threads that are started later inherit the block; a
// thread that existed before still receives the signals in the default way. try_next() may be called from any thread;
// next() is awaited in tasks. Each signal is delivered to one waiter.
// Lifetime: must outlive its waiters. The destructor restores the thread's signal mask. Cancellation: a cancelled wait
// takes no signal.
// Memory: the kernel keeps signals that arrive while no task waits, but merges several signals of one number into one
// (signal(7)).
#pragma once

#include <signal.h>

#include <initializer_list>
#include <optional>

#include "runtime/file_descriptor.h"
#include "runtime/task.h"

namespace volt {

class Signals {
 public:
  // Blocks the signals `numbers` in the calling thread. Throws std::system_error if no descriptor can be created.
  explicit Signals(std::initializer_list<int> numbers);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Returns the number of the next signal. Throws std::system_error if no descriptor is available.
  [[nodiscard]] Task<int> next();
  // Returns the number of the next pending signal; nullopt if there is none. Never waits.
  [[nodiscard]] std::optional<int> try_next() noexcept;

  // Returns a descriptor that is readable while a signal is pending, for use in another event loop. Owned by this
  // object.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  // Returns the signal mask that the creating thread had before, for programs that are started from this process.
  [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }

 private:
  sigset_t before_;
  FileDescriptor fd_;
};

}  // namespace volt
