// SPDX-License-Identifier: MIT

// Turns: lets only one of a simulation's two threads run at a time, the worker or the driver (which controls the
// server), until it gives the turn to the other. A run is therefore as deterministic as a single thread.
//
// Threads: the worker and the driver.
#pragma once

#include <condition_variable>
#include <mutex>

namespace volt::simulation {

class Turns {
 public:
  enum class Whose { driver, worker };

  void give_to(Whose other) {
    const std::scoped_lock lock(mutex_);
    whose_ = other;
    changed_.notify_all();
  }
  void await(Whose mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return whose_ == mine; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Whose whose_ = Whose::worker;
};

}  // namespace volt::simulation
