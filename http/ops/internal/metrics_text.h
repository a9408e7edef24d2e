// All that /metrics says.
//
// Threads: any.
#pragma once

#include <string>

#include "http/ops/internal/watched.h"

namespace volt::http::ops {

[[nodiscard]] std::string metrics_text(const Watched& watched);

}  // namespace volt::http::ops
