// The app that the ops listener serves.
//
// Lifetime: `watched` outlives it.
#pragma once

#include <string>
#include <vector>

#include "http/app.h"
#include "http/ops/watched.h"

namespace volt::http::ops {

[[nodiscard]] App make_service(const Watched& watched, std::vector<std::string> hosts);

}  // namespace volt::http::ops
