// SPDX-License-Identifier: MIT

// Bounds the memory that malloc keeps after it was freed. By default, glibc raises its thresholds with the size of the
// blocks that a program frees: after a hundred responses of 10 MB at a time, 1 GB stayed with the process.
//
// Blocks of 4 MiB and more are then mapped one by one and go back to the kernel when they are freed; of smaller ones,
// each arena keeps at most 32 MiB at its end. There are at most two arenas for each processor, and two more, instead of
// eight: threads that are needed for a moment, such as spare workers, would otherwise each leave an arena behind.
// Environment variables that set one of these values for glibc take precedence.
#pragma once

namespace volt::config {

// Called before other threads exist. Does nothing without glibc.
void bound_freed_memory() noexcept;

}  // namespace volt::config
