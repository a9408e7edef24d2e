// SPDX-License-Identifier: MIT

// kOidcLog: writes the log lines of the module "oidc" (log.levels).
#pragma once

#include "runtime/logger.h"

namespace volt::http::oidc {

inline constexpr Logger kOidcLog("oidc");

}  // namespace volt::http::oidc
