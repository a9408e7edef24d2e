// The configuration of a program, out of its sources.
//
// Threads: a function, called when the program starts.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "config/options/config.h"
#include "config/read/internal/draft.h"
#include "config/read/internal/flags.h"

namespace volt::config {

struct Loaded {
  Draft draft;
  bool check_health;  // of the server that was told the same, instead of being one
};

// What --check-config looks at besides the values themselves: the files that they name.
struct Findings {
  std::vector<std::string> problems;
  std::vector<std::string> doubts;
};
using Check = std::function<Findings(const Config&)>;

// What the program is to serve with; or how it ends: it was asked for something else, or what it was told is not sound.
// Order: `defaults`, the surroundings, the file, the environment, the flags.
[[nodiscard]] std::expected<Loaded, Ending> load(Settings settings, Config defaults, int argc, const char* const* argv,
                                                 const char* const* environment, const Check& check = nullptr);

}  // namespace volt::config
