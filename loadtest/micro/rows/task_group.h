// SPDX-License-Identifier: MIT

// Borrowed and TaskGroup: concurrent tasks of a row, which share state of the row.
#pragma once

#include <utility>
#include <vector>

#include "runtime/spawn.h"
#include "runtime/task.h"

namespace rows {

// A pointer for spawned tasks, which may not take references, to an object that outlives all tasks of the row.
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
