// SPDX-License-Identifier: MIT

// Identity: which program, on which host, in which process. It tells an operator which of several replicas responds.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "http/ops/ops.h"

namespace volt::http::ops {

struct Identity {
  std::string service;  // OpsOptions::service, or the name of the program's file
  std::string version;  // OpsOptions::version
  std::string volt;     // the version of Volt
  std::string host;     // gethostname(2); empty if unknown
  std::uint64_t pid = 0;
};

[[nodiscard]] Identity identity(const OpsOptions& options);

}  // namespace volt::http::ops
