// SPDX-License-Identifier: MIT

// kConfigLog: writes the log lines of the module "config" (log.levels).
#pragma once

#include "runtime/logger.h"

namespace volt::config {

inline constexpr Logger kConfigLog("config");

}  // namespace volt::config
