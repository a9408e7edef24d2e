// SPDX-License-Identifier: MIT

// Loads the configuration of a program from its sources.
//
// Threads: a function, called when the program starts.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/options/config.h"
#include "config/read/internal/config_builder.h"
#include "config/read/internal/flags.h"
#include "config/read/own_table.h"

namespace volt::config {

struct Loaded {
  ConfigBuilder config_builder;
  bool check_health;  // --check-health: probe the running server instead of starting one
};

// The results of the further checks of --check-config, such as those of the files that the configuration names.
struct Diagnostics {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};
using Check = std::function<Diagnostics(const Config&)>;

// The settings that are loaded, and the program to which they belong.
struct LoadOptions {
  Settings settings = all_settings();     // settings_with(tables)
  std::span<const OwnTable> tables = {};  // the program's own structs, at most one for each name
  ProgramName program = {};
  bool assign_own = true;  // false: keys of `tables` are known, but keep their defaults
};

// Returns the configuration to serve with. Error: the program must exit, because a flag such as --help requests
// something other than serving, or because the configuration is invalid. The sources are `defaults`, the platform's
// defaults, the file, the environment and the flags; each overrides those before it.
[[nodiscard]] std::expected<Loaded, ExitResult> load(const LoadOptions& options, Config defaults, int argc,
                                                     const char* const* argv, const char* const* environment,
                                                     const Check& check = nullptr);

}  // namespace volt::config
