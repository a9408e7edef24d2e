// SPDX-License-Identifier: MIT

// heap_profile: which functions have allocated the memory that is in use. It needs a program that runs with jemalloc,
// and whose profiling is on:
//
//   LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true ./shop
//
//   const Result<std::string> profile = co_await blocking(heap_profile);
//
// Each line is a stack and the bytes that it has allocated and not freed, the largest first, in the "folded" form that
// flamegraph.pl, inferno and speedscope.app read. jemalloc samples one allocation in 512 KiB (lg_prof_sample), so the
// numbers are estimates. The operators' server makes it on demand (/debug/heap, http/ops/ops.h).
//
// Rejected: sampling in an operator new of Volt's own. It would not see the allocations of C libraries, and would cost
// something in programs that never look; jemalloc does both already.
//
// Threads: any. It reads files and takes some milliseconds, so a task calls it by blocking().
#pragma once

#include <string>

#include "runtime/result.h"

namespace volt {

// Errors: not_supported if the program does not run with jemalloc, or its profiling is off; bad_message if the dump has
// an unknown form; those of memfd_create(2), read(2) and jemalloc's prof.dump. Throws std::bad_alloc.
[[nodiscard]] Result<std::string> heap_profile();

}  // namespace volt
