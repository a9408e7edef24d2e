// SPDX-License-Identifier: MIT

// RwLock: a reader holds it until another reader has it, too, while a writer between them is cancelled. So the cancel
// must admit the reader that waits behind the writer.
#pragma once

#include <array>

#include "runtime/rw_lock.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class RwLockBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  RwLockBody()
      : first_(*new Tasklet(read(*this, true), 1, destroyed_[0])),
        second_(*new Tasklet(read(*this, false), 1, destroyed_[1])),
        writer_(*new Tasklet(write(*this), 2, destroyed_[2])) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index == 2) writer_.run();
    if (index != 3) return;
    sched::cancel(writer_);
    writer_.release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(value_ == (cancelled_ ? 0 : 2), "the writer wrote or was cancelled");
    require(lock_.try_write().has_value(), "no task still holds the lock");
  }

 private:
  static Routine read(RwLockBody& self, bool stays) {
    const RwLock::ReadGuard guard = co_await self.lock_.read();
    require(self.value_ != 1, "no reader sees a write that has not ended");
    if (!stays) self.second_reads_.store(true, base::relaxed);
    while (stays && !self.second_reads_.load(base::relaxed)) pause();
  }

  static Routine write(RwLockBody& self) {
    try {
      const RwLock::WriteGuard guard = co_await self.lock_.write();
      self.value_ = 1;
      self.value_ = 2;
    } catch (const Cancelled&) {
      self.cancelled_ = true;
    }
  }

  RwLock lock_;
  int value_ = 0;  // guarded by lock_
  base::Atomic<bool> second_reads_{false};
  bool cancelled_ = false;
  std::array<int, 3> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
  Tasklet& writer_;
};

}  // namespace volt::model
