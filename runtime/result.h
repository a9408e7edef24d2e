// Result<T>: the outcome of what a peer, the kernel or a file can make fail. The one seam over std::expected.
#pragma once

#include "runtime/base/result.h"  // IWYU pragma: export
