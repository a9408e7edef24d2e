// Signals: signals as something to wait for.
//
//   int main() {
//     Signals signals({SIGHUP, SIGTERM});    // first of all
//     Runtime runtime;
//     ...  const int number = co_await signals.next();
//
// Threads: made and destroyed by the process's first thread, before and after the Runtime: it blocks these signals in
// the thread that makes it, and every thread that is started later inherits that. A thread that was there before still
// gets them in the old way. try_next() and next() any thread, next() in a task. Each signal goes to one of those who
// wait.
// Lifetime: outlives who waits. When it goes, the thread's mask is as before. Cancellation: takes no signal.
// Memory: signals that come before somebody waits are kept by the kernel, several of one number as one (signal(7)).
#pragma once

#include <signal.h>

#include <initializer_list>
#include <optional>

#include "runtime/file_descriptor.h"
#include "runtime/task.h"

namespace volt {

class Signals {
 public:
  // Throws std::system_error.
  explicit Signals(std::initializer_list<int> numbers);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The next signal's number. Throws std::system_error, if descriptors are out.
  [[nodiscard]] Task<int> next();
  // The next that waits; none if none does.
  [[nodiscard]] std::optional<int> try_next() noexcept;

  // For a loop of one's own: readable when there is one.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  // Of the thread that made it: for a program that is started from here.
  [[nodiscard]] const sigset_t& mask_before() const noexcept { return before_; }

 private:
  sigset_t before_;
  FileDescriptor fd_;
};

}  // namespace volt
