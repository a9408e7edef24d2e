// SPDX-License-Identifier: MIT

// folded_stacks: the samples of a processor profile as text, one line for each stack that was seen:
//
//   GET /report/{name};shop::report;shop::render;shop::sum 42
//
// First come the route, if the task served one, and the coroutine function of the task. Then follow the functions, the
// outermost first, without those of the scheduler around the task. The number is how often the stack was seen.
//
// Threads: a pure function.
#pragma once

#include <span>
#include <string>

#include "runtime/sched/profile_samples.h"

namespace volt {

// The most frequent stack comes first. Throws std::bad_alloc. The first call reads the names of functions from the
// program's file, and takes milliseconds.
[[nodiscard]] std::string folded_stacks(std::span<const sched::ProfileSamples::Taken> samples);

}  // namespace volt
