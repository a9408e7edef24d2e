// SPDX-License-Identifier: MIT

// AfterCommit: the functions that a transaction calls when it has been committed.
//
// Threads: those of the transaction. Memory: proportional to the number of functions.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace volt::database {

class AfterCommit {
 public:
  using Function = std::move_only_function<void() noexcept>;

  void add(Function function) { functions_.push_back(std::move(function)); }
  // Calls the functions, in the order in which they were added.
  void call() noexcept {
    for (Function& function : std::exchange(functions_, {})) function();
  }

 private:
  std::vector<Function> functions_;
};

}  // namespace volt::database
