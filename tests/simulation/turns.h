// Turns: of the two threads of a simulation, the worker and the driver who steers the server, one runs at a time, until
// it gives its turn to the other. So a run is as deterministic as one thread.
//
// Threads: both.
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
