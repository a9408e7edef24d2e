// SPDX-License-Identifier: MIT

// Result<T>: the value of an operation that a peer, the kernel or a file can make fail, or its error code. Based on
// std::expected.
#pragma once

#include "runtime/base/result.h"  // IWYU pragma: export
