// The configuration of a program, out of its sources.
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
  bool check_health;  // of the server that was told the same, instead of being one
};

// What --check-config looks at besides the values themselves: the files that they name.
struct Diagnostics {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};
using Check = std::function<Diagnostics(const Config&)>;

// What the program is to serve with; or how it ends: it was asked for something else, or what it was told is not sound.
// Order: `defaults`, the surroundings, the file, the environment, the flags.
[[nodiscard]] std::expected<Loaded, ExitResult> load(Settings settings, Config defaults, int argc,
                                                     const char* const* argv, const char* const* environment,
                                                     const Check& check = nullptr);

}  // namespace volt::config
