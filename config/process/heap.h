// SPDX-License-Identifier: MIT

// Bounds the memory that malloc keeps after it was freed. By default, glibc raises its thresholds with the size of the
// blocks that a program frees: after a hundred responses of 10 MB at a time, 1 GB stayed with the process.
//
// Blocks of 4 MiB and more are then mapped one by one and go back to the kernel when they are freed; of smaller ones,
// each arena keeps at most 32 MiB at its end. Environment variables that set glibc's thresholds take precedence.
#pragma once

namespace volt::config {

// Called before other threads exist. Does nothing without glibc.
void bound_freed_memory() noexcept;

}  // namespace volt::config
