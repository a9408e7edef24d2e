// SPDX-License-Identifier: MIT

#include "runtime/sched/blocking_pool.h"

#include <pthread.h>

#include <exception>

#include "runtime/sched/current.h"

namespace volt::sched {

bool BlockingPool::submit(BlockingJob& job) noexcept {
  job.log_context = current_log_context();
  Threads ended;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || queue_length_ >= queue_max_) return false;
    ended.swap(ended_);
    if (idle_ <= queue_length_ && threads_.size() < threads_max_) {
      Threads added;
      try {
        const auto self = added.emplace(added.end());
        *self = std::thread([this, self] { serve(self); });
        threads_.splice(threads_.end(), added);
      } catch (const std::exception&) {  // no thread or no memory is left: the existing threads must do
        if (threads_.empty()) return false;
      }
    }
    queue_.push_back(job);
    ++queue_length_;
  }
  changed_.notify_one();
  for (auto& thread : ended) thread.join();
  return true;
}

bool BlockingPool::withdraw(BlockingJob& job) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!job.linked()) return false;
  job.unlink();
  --queue_length_;
  return true;
}

void BlockingPool::serve(Threads::iterator self) {
  ::pthread_setname_np(::pthread_self(), "volt-blocking");
  set_current_scheduler(scheduler_);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (BlockingJob* job = queue_.pop_front()) {
      --queue_length_;
      lock.unlock();
      set_thread_log_context(job->log_context);
      job->run();
      set_thread_log_context(nullptr);
      lock.lock();
      continue;
    }
    if (stopping_) return;
    ++idle_;
    const bool timed_out = changed_.wait_for(lock, idle_time_) == std::cv_status::timeout;
    --idle_;
    if (timed_out && queue_.empty() && !stopping_) {
      ended_.splice(ended_.end(), threads_, self);  // the next submit(), or stop(), joins it
      return;
    }
  }
}

void BlockingPool::stop() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
  for (auto& thread : ended_) thread.join();
}

void BlockingPool::report(RuntimeMetrics& metrics) const {
  const std::scoped_lock lock(mutex_);
  metrics.blocking_threads = threads_.size();
  metrics.blocking_queue_length = queue_length_;
}

}  // namespace volt::sched
