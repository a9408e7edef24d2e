// SPDX-License-Identifier: MIT

// CrashReport: while it exists, a process that dies by a signal says what it did.
//
//   volt::CrashReport report(runtime.shared_log());
//
//   volt: SIGSEGV (address 0x10) on worker 0, task 17, GET /report: the process dies
//
// The line goes to standard error, after the pending lines of the log. The process then dies by the signal, as it would
// without this object, with its core dump.
//
// The signals are SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT. A signal for which the program, or a sanitizer, has
// installed a handler of its own keeps that handler.
//
// Threads: create and destroy it in main(); one at a time.
#pragma once

#include <memory>

#include "runtime/log.h"

namespace volt {

class CrashReport {
 public:
  explicit CrashReport(std::shared_ptr<Log> log);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  const std::shared_ptr<Log> log_;
};

}  // namespace volt
