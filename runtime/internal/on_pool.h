// on_pool: a callable that gives a Result, on a thread of the blocking pool. A full pool is an error like the others.
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
    auto calling = blocking(std::move(function));
    auto outcome = co_await calling;
    co_return outcome;
  } catch (const std::system_error& failure) {  // decided: the callers' errors are values
    co_return std::unexpected(failure.code());
  }
}

// A system call that gives -1 for an error.
template <class Call>
Task<Result<void>> call_on_pool(Call call) {
  return on_pool([call = std::move(call)]() -> Result<void> {
    if (call() != 0) return system_error(errno);
    return {};
  });
}

}  // namespace volt::fs
