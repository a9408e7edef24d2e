// Borrowed and TaskGroup: several tasks of a row at once, on state that the row keeps.
#pragma once

#include <utility>
#include <vector>

#include "runtime/spawn.h"
#include "runtime/task.h"

namespace rows {

// How a spawned task, which may take no reference, gets at what its row keeps until all its tasks are done.
template <class T>
struct Borrowed {
  T* object;
  T* operator->() const noexcept { return object; }
};

class TaskGroup {
 public:
  template <class F, class... Args>
  void spawn(F function, Args&&... args) {
    handles_.push_back(volt::spawn(function, std::forward<Args>(args)...));
  }
  volt::Task<> join() {
    for (auto& handle : handles_) co_await std::move(handle);
  }

 private:
  std::vector<volt::JoinHandle<void>> handles_;
};

}  // namespace rows
