// SPDX-License-Identifier: MIT

// VOLT_UNINITIALIZED: before a local variable, exempts it from -ftrivial-auto-var-init=zero, with which shipped builds
// are compiled (cmake/shipped.cmake). For large buffers that are written before they are read: clearing those on the
// way of a small request would double its instructions.
#pragma once

#define VOLT_UNINITIALIZED __attribute__((uninitialized))
