// SPDX-License-Identifier: MIT

// SharedQueue: the queue of all workers in the peers' models, behind a mutex. Its length is on a line of its own, and
// is read without the mutex.
//
// Threads: any virtual thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "loadtest/scaling/futex_mutex.h"
#include "loadtest/scaling/load.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/intrusive_list.h"

namespace volt::scaling {

class SharedQueue {
 public:
  void push(Connection* task) noexcept {
    const std::lock_guard guard(mutex_);
    tasks_.push_back(task);
    publish_length_locked();
  }
  void push(base::Chain<Connection>&& tasks) noexcept {
    if (tasks.empty()) return;
    const std::lock_guard guard(mutex_);
    tasks_.append(tasks);
    publish_length_locked();
  }
  // Returns the oldest task, or null.
  [[nodiscard]] Connection* pop() noexcept {
    Connection* task = nullptr;
    static_cast<void>(pop_batch(&task, 1));
    return task;
  }
  // Writes up to `count_max` of the oldest tasks to `out`. Returns their number.
  [[nodiscard]] std::uint32_t pop_batch(Connection** out, std::uint32_t count_max) noexcept {
    if (empty()) return 0;
    const std::lock_guard guard(mutex_);
    std::uint32_t count = 0;
    while (count != count_max) {
      Connection* task = tasks_.pop_front();
      if (task == nullptr) break;
      out[count++] = task;
    }
    publish_length_locked();
    return count;
  }
  [[nodiscard]] std::size_t size() const noexcept { return length_.load(base::relaxed); }  // relaxed: one thread runs
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  void publish_length_locked() noexcept { length_.store(tasks_.size(), base::relaxed); }  // relaxed: one thread runs

  alignas(base::kNoSharingBytes) FutexMutex mutex_;
  base::Chain<Connection> tasks_;
  alignas(base::kNoSharingBytes) base::Atomic<std::size_t> length_{0};
};

}  // namespace volt::scaling
