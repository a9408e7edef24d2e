// The app that the ops listener serves.
//
// Lifetime: `watched` outlives it.
#pragma once

#include <string>
#include <vector>

#include "http/ops/internal/watched.h"
#include "http/server/app.h"

namespace volt::http::ops {

[[nodiscard]] App make_service(const Watched& watched, std::vector<std::string> hosts);

}  // namespace volt::http::ops
