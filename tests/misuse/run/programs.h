// SPDX-License-Identifier: MIT

// Wrong programs. run.py starts each of them, and README.md lists the first line of what each one gets.
#pragma once

#include <span>
#include <string>

#include "runtime/runtime.h"

namespace volt::misuse {

struct Program {
  const char* name;
  void (*run)();
};

[[nodiscard]] std::span<const Program> task_programs() noexcept;
[[nodiscard]] std::span<const Program> wait_programs() noexcept;
[[nodiscard]] std::span<const Program> end_programs() noexcept;

// Options of a runtime with the engine that VOLT_TEST_IO names.
[[nodiscard]] RuntimeOptions options(std::uint32_t workers = 2);

// Prints a line to stderr.
void say(const std::string& text);

// Runs `body`, a coroutine function or a lambda without captures, in a task.
template <class Body>
void in_task(Body body, std::uint32_t workers = 2) {
  Runtime runtime(options(workers));
  runtime.block_on(body);
}

}  // namespace volt::misuse
