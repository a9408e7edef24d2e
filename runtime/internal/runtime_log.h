// SPDX-License-Identifier: MIT

// kRuntimeLog: writes the log lines of the module "runtime" (log.levels).
#pragma once

#include "runtime/logger.h"

namespace volt {

inline constexpr Logger kRuntimeLog("runtime");

}  // namespace volt
