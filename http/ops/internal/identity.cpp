// SPDX-License-Identifier: MIT

#include "http/ops/internal/identity.h"

#include <errno.h>
#include <unistd.h>

#include <climits>

namespace volt::http::ops {

Identity identity(const OpsOptions& options) {
  char host[HOST_NAME_MAX + 1] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return {.service = options.service.empty() ? program_invocation_short_name : options.service,
          .version = options.version,
          .volt = VOLT_VERSION,
          .host = host,
          .pid = static_cast<std::uint64_t>(::getpid())};
}

}  // namespace volt::http::ops
