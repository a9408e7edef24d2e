// SPDX-License-Identifier: MIT

// on_pool: runs a callable that returns a Result on a thread of the blocking pool. If the pool is full, the Result
// contains an error.
#pragma once

#include <cerrno>
#include <system_error>
#include <type_traits>
#include <utility>

#include "runtime/blocking.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::fs {

template <class F>
Task<std::invoke_result_t<F&>> on_pool(F function) {
  try {
    co_return co_await blocking(std::move(function));
  } catch (const std::system_error& failure) {  // decided: callers expect errors as values
    co_return std::unexpected(failure.code());
  }
}

// Runs a system call that returns -1 on error on a thread of the blocking pool.
template <class Call>
Task<Result<void>> call_on_pool(Call call) {
  return on_pool([call = std::move(call)]() -> Result<void> {
    if (call() != 0) return system_error(errno);
    return {};
  });
}

}  // namespace volt::fs
