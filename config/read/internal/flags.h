// SPDX-License-Identifier: MIT

// The command line: --config FILE, --print-config, --check-config, --check-health, --help, --version, and a flag for
// each setting.
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

inline constexpr int kExitUsage = 2;  // exit status for an invalid command line or configuration

struct Flags {
  enum class Command : std::uint8_t { serve, print_config, check_config, check_health };

  Command command = Command::serve;
  std::string file;  // argument of --config; empty if it is absent
  struct Given {
    const Setting* setting;
    std::string flag;  // the name for messages: the short flag if the setting has one
    std::vector<std::string> items;
  };
  std::vector<Given> given;
};

// The words about the program in --help and --version.
struct ProgramName {
  std::string name;         // empty: the name of the file
  std::string version;      // empty: --version prints that of Volt only
  std::string description;  // a sentence; empty: a web server
};

// How the program exits instead of starting: with status 0 and a text for stdout, or with status 2 and a text for
// stderr.
struct ExitResult {
  int status;
  std::string text;
};

// Parses the command line. Error: --help or --version was requested, or the command line is invalid.
[[nodiscard]] std::expected<Flags, ExitResult> read_flags(Settings settings, const ProgramName& program, int argc,
                                                          const char* const* argv);

// Assigns the values of all given flags.
void assign_flags(const Flags& flags, ConfigBuilder& config_builder);

}  // namespace volt::config
