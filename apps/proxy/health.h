// Asks every upstream, now and then, how it is.
#pragma once

#include <runtime/task.h>

#include <memory>

#include "apps/proxy/options.h"
#include "apps/proxy/upstreams.h"

namespace proxy {

// Until it is cancelled.
[[nodiscard]] volt::Task<> check_health(std::shared_ptr<Upstreams> upstreams, Options options);

}  // namespace proxy
