// SPDX-License-Identifier: MIT

// kHttpLog: writes the log lines of the module "http" (log.levels).
#pragma once

#include "runtime/logger.h"

namespace volt::http {

inline constexpr Logger kHttpLog("http");

}  // namespace volt::http
