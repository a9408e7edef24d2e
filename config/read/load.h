// SPDX-License-Identifier: MIT

// Loads the configuration of a program from its sources.
//
// Threads: a function, called when the program starts.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "config/options/config.h"
#include "config/read/internal/config_builder.h"
#include "config/read/internal/flags.h"

namespace volt::config {

struct Loaded {
  ConfigBuilder config_builder;
  bool check_health;  // --check-health: probe the running server instead of starting one
};

// The result of the checks that --check-config makes besides validating the values, such as of the files they name.
struct Diagnostics {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};
using Check = std::function<Diagnostics(const Config&)>;

// Returns the configuration to serve with. Error: the program must exit, because a flag such as --help asks for
// something else than serving, or because the configuration is invalid. Sources, each of which overrides those before
// it: `defaults`, the platform's defaults, the file, the environment, the flags.
[[nodiscard]] std::expected<Loaded, ExitResult> load(Settings settings, Config defaults, int argc,
                                                     const char* const* argv, const char* const* environment,
                                                     const Check& check = nullptr);

}  // namespace volt::config
