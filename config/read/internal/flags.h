// The command line: --config FILE, --print-config, --check-config, --check-health, --help, and a flag for each setting.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "config/read/internal/config_builder.h"

namespace volt::config {

inline constexpr int kExitUsage = 2;  // the status of a program that was told what makes no sense

struct Flags {
  enum class Command : std::uint8_t { serve, print_config, check_config, check_health };

  Command command = Command::serve;
  std::string file;  // empty: none was named
  struct Given {
    const Setting* setting;
    std::string flag;  // as the command line has it: a setting may have a short one besides
    std::vector<std::string> items;
  };
  std::vector<Given> given;
};

// How the program ends instead: with a text for stdout and status 0, or with one for stderr and status 2.
struct ExitResult {
  int status;
  std::string text;
};

[[nodiscard]] std::expected<Flags, ExitResult> read_flags(Settings settings, int argc, const char* const* argv);

void assign_flags(const Flags& flags, ConfigBuilder& config_builder);

}  // namespace volt::config
